"""For the documentation site: what docstrings mean in Markdown, and which names a step makes public."""

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(^>>> .*\n?(?:^(?!$).*\n?)*)", re.MULTILINE)
CITATION = re.compile(r"\[([a-z]+\d{4}[^\]]*)\]")
COLUMNS = re.compile(r"^(\w[\w, ]*?) {2,}(\S.*)$", re.MULTILINE)  # a name, and what it is


class Docstrings(griffe.Extension):
    """Examples become code and columns lists, which Markdown does not see; citations stay, which it takes for links."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of one module, class or function."""
        if obj.docstring:
            parts = EXAMPLE.split(obj.docstring.value)
            parts[::2] = [COLUMNS.sub(r"- `\1`: \2", CITATION.sub(r"\\[\1\\]", part)) for part in parts[::2]]
            parts[1::2] = [f"```pycon\n{part.rstrip()}\n```\n" for part in parts[1::2]]
            obj.docstring.value = "".join(parts)

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """A public function hides the module it is written in, as it does for Python: measure.kgap is a call."""
        public = [(step, name) for step in pkg.modules.values() for name in map(str, step.exports or ())]
        targets = [(step, name, _behind(step, name)) for step, name in public]
        for step, name, target in targets:
            if target.parent is not step:
                step.set_member(name, griffe.Alias(name, target, parent=step))


def _behind(step: griffe.Module, name: str) -> Any:
    member = step.members[name]
    if member.is_alias:
        return member.final_target
    return member.members[name] if member.is_module else member
