"""Pages of documentation, run block by block in a folder.

Python blocks of a page share one namespace; lines of shell blocks that begin with `incrowd` go through the command
line. A text block right below a block is what that block prints, where `...` stands for anything. A comment above a
block says what is special about it: `<!-- not run: why -->`, `<!-- slow -->` or, for a gate, `<!-- exits 1 -->`.

    python tests/pages.py    puts what the blocks print into the pages
"""

import contextlib
import doctest
import io
import os
import re
import shlex
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[1]
FENCE = re.compile(
    r"(?:^<!-- (?P<mark>[^\n]*?) -->\n\n?)?^```(?P<language>\w*)[^\n]*\n(?P<code>.*?)^```$"
    r"(?:\n\n```text\n(?P<output>.*?)^```$)?",
    re.DOTALL | re.MULTILINE,
)
SILENT = {"text", "json"}  # nothing to run


@dataclass(frozen=True)
class Block:
    """A fenced block; `output` is the text block below it, if there is one."""

    page: str
    line: int
    language: str
    code: str
    mark: str
    output: str | None
    where: tuple[int, int]  # of the output in the page

    @property
    def runs(self) -> bool:
        return self.language not in SILENT and not self.mark.startswith("not run: ")

    @property
    def slow(self) -> bool:
        return self.mark == "slow"

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def pages() -> list[Path]:
    """Everything written for readers; the changelog has no code."""
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    name = page.relative_to(ROOT).as_posix()
    return [
        Block(
            name,
            text.count("\n", 0, found.start("code")),
            found["language"],
            found["code"],
            found["mark"] or "",
            found["output"],
            found.span("output"),
        )
        for found in FENCE.finditer(text)
    ]


def run(found: list[Block], *, slow: bool = False) -> list[str]:
    """What each block prints, in the current folder."""
    names: dict[str, object] = {"__name__": "__main__"}
    return [printed(block, names) if block.runs and (slow or not block.slow) else "" for block in found]


def printed(block: Block, names: dict[str, object]) -> str:
    """Run one block; what it writes to stdout."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        if block.language == "python":
            exec(compile(block.code, str(block), "exec"), names)
        elif block.language == "sh":
            codes = [command(words, block) for words in commands(block)]
            assert codes[-1] == (1 if block.mark == "exits 1" else 0), f"{block}: the last exit code is {codes[-1]}"
            assert not any(codes[:-1]), f"{block}: exit codes {codes}"
        else:
            raise AssertionError(f"{block}: no way to run a block of {block.language or 'no language'}")
    return out.getvalue()


def commands(block: Block) -> list[list[str]]:
    lines = block.code.replace("\\\n", " ").splitlines()
    found = [words for words in (shlex.split(line, comments=True) for line in lines) if words]
    strange = [words[0] for words in found if words[0] != "incrowd"]
    assert found and not strange, f"{block}: {strange} cannot be run; mark the block as not run, and why"
    return found


def command(words: list[str], block: Block) -> int:
    """The exit code of a command line, in this process."""
    from incrowd.cli import main

    err = io.StringIO()
    narrow = mock.patch.dict(os.environ, {"COLUMNS": "100"})
    with mock.patch.object(sys, "argv", words), narrow, contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
    assert code in (0, 1), f"{block}: {shlex.join(words)} ends with {code}: {err.getvalue()}"
    return int(code)


def agrees(block: Block, said: str) -> bool:
    """Whether a block prints what the page shows."""
    return block.output is None or doctest.OutputChecker().check_output(block.output, tidy(said), doctest.ELLIPSIS)


def tidy(said: str) -> str:
    """What was printed, without spaces at the ends of lines."""
    return "\n".join(line.rstrip() for line in said.strip("\n").splitlines()) + "\n"


def make_trips(folder: Path) -> None:
    """The files every page speaks of, made as the tutorial makes them."""
    with contextlib.chdir(folder):
        run(blocks(ROOT / "docs" / "tutorial.md")[:1])


def renew(page: Path) -> None:
    """Put what the blocks of a page print below them, where it is not so already."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        if page.name != "tutorial.md":
            make_trips(Path(folder))
        found = blocks(page)
        said = run(found, slow=True)
    text = page.read_text(encoding="utf-8")
    for block, shown in reversed(list(zip(found, said, strict=True))):
        if not agrees(block, shown):
            sys.stderr.write(f"renewed {block}\n")
            start, end = block.where
            text = text[:start] + tidy(shown) + text[end:]
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for each in [Path(name).resolve() for name in sys.argv[1:]] or pages():
        renew(each)
