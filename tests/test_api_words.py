"""Every parameter of the public API is explained, and a fixed choice is a Literal that editors can list."""

import inspect
import re
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import incrowd as ic
from incrowd.cli.options import arguments_of

SOURCES = sorted((Path(ic.__file__).parent).rglob("*.py"))
STEPS = [name for name in ic.__all__ if inspect.ismodule(getattr(ic, name))]
NOUNS = ("Traces", "Visits", "Fingerprints", "Counts")


def public_calls():
    """Name -> function, method or dataclass that is called with options; results are not called by users."""
    calls = {f"{noun}.from_arrays": getattr(ic, noun).from_arrays for noun in NOUNS}
    for step in STEPS:
        module = getattr(ic, step)
        things = {f"{step}.{name}": getattr(module, name) for name in module.__all__}
        calls |= {name: thing for name, thing in things.items() if inspect.isfunction(thing) or is_method(thing)}
    for key in ic.papers.PAPERS:
        calls[f"papers.{key}.reproduce"] = getattr(ic.papers, key).reproduce
    return calls


def is_method(thing):
    """A class whose instances are called with data."""
    return inspect.isclass(thing) and any("__call__" in vars(kind) for kind in thing.__mro__)


CALLS = public_calls()


def parameters(call):
    """Name -> type; options that a TypedDict lists count one by one."""
    hints = {}
    for parameter in inspect.signature(call).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            hints |= {
                name: kind for given in get_args(parameter.annotation) for name, kind in get_type_hints(given).items()
            }
        elif parameter.kind is not parameter.VAR_POSITIONAL and parameter.name != "self":
            hints[parameter.name] = parameter.annotation
    return hints


def unexplained(call):
    """Parameters without a line of their own under Args."""
    return [name for name in parameters(call) if name not in arguments_of(call)]


@pytest.mark.parametrize("name", CALLS)
def test_every_parameter_is_explained(name):
    call = CALLS[name]
    assert unexplained(call) == []
    if inspect.isclass(call):
        assert set(parameters(call.__call__)) <= {*arguments_of(call), *arguments_of(call.__call__)}


@pytest.mark.parametrize("name", CALLS)
def test_the_first_line_of_a_docstring_is_a_sentence(name):
    first = inspect.getdoc(CALLS[name]).split("\n\n")[0].strip()
    assert first.endswith((".", ":", "]")) and len(first) < 240


CHOICES = {
    name for path in SOURCES for name in re.findall(r'check_choice\("(\w+)"', path.read_text())
}  # parameters that take one of a few texts


@pytest.mark.parametrize("name", CALLS)
def test_a_fixed_choice_is_a_literal(name):
    others = set() if name.startswith("anonymize.") else {"table", "method"}  # of a database; of a file, by name
    choices = CHOICES - others
    typed = {parameter: kind for parameter, kind in parameters(CALLS[name]).items() if parameter in choices}
    assert [parameter for parameter, kind in typed.items() if kind in (str, "str", str | None, "str | None")] == []


def test_the_walk_sees_what_it_looks_for():
    def grid(source, *, cell_m, slot_min=1):
        """Visits.

        Args:
            source: Records.
            cell_m: Side of a cell.
        """

    assert unexplained(grid) == ["slot_min"]
    assert {"knowledge", "short", "match", "device"} <= CHOICES
    assert {"discretize.grid", "anonymize.Cut", "plot.uniqueness", "Visits.from_arrays"} <= set(CALLS)
    assert {"cell_m", "time_format"} <= set(parameters(ic.discretize.grid))
