"""A misspelt option or a wrong noun is refused in the name of the call."""

import inspect
import re
from dataclasses import dataclass, replace
from typing import TypedDict, Unpack

import numpy as np
import pytest

import incrowd as ic
from incrowd.errors import _nouns, check_kind, public
from test_api_words import public_calls

POSITIONAL = inspect.Parameter.POSITIONAL_OR_KEYWORD


class Options(TypedDict, total=False):
    """Options that calls share."""

    decimal: str


@public
def grid(visits: ic.Visits, other: ic.Visits | ic.Traces | None = None, *, cell_m: int = 1, **more: Unpack[Options]):
    """The arguments.

    >>> 1
    1
    """
    return visits, other, cell_m, more


@public
@dataclass(frozen=True)
class Method:
    """A method with an option."""

    k: int = 2

    @public
    def __call__(self, visits: ic.Visits, *, seed: int = 0) -> int:
        return self.k


VISITS = ic.Visits.from_arrays([1], [0], [0])


def test_a_call_with_its_own_options_goes_through():
    assert grid(VISITS, None, cell_m=3, decimal=",") == (VISITS, None, 3, {"decimal": ","})
    assert grid(visits=VISITS, other=VISITS)[1] is VISITS
    assert Method(k=3)(VISITS, seed=1) == 3 and replace(Method(), k=4).k == 4


def test_the_signature_and_the_docstring_stay():
    assert list(inspect.signature(grid).parameters) == ["visits", "other", "cell_m", "more"]
    assert grid.__doc__.startswith("The arguments.") and grid.__globals__ is globals()
    assert list(inspect.signature(Method).parameters) == ["k"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: grid(VISITS, cell_size=5), "grid() got an unexpected option 'cell_size'; did you mean cell_m?"),
        (lambda: grid(VISITS, decimals=5), "grid() got an unexpected option 'decimals'; did you mean decimal?"),
        (lambda: Method(q=5), "Method() got an unexpected option 'q'; choose from k."),
        (lambda: VISITS.save("x.csv", forced=True), "save() got an unexpected option 'forced'; did you mean force?"),
        (lambda: Method()(VISITS, sed=5), "Method() got an unexpected option 'sed'; did you mean seed?"),
    ],
)
def test_a_misspelt_option_names_the_call_and_the_nearest_option(call, words):
    with pytest.raises(ic.ParameterError) as error:
        call()
    assert str(error.value) == words


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: grid(np.ones(1)), "grid needs Visits, got an ndarray; make them with `ic.discretize.grid(...)`."),
        (lambda: grid(None), "grid needs Visits, got None; make them with `ic.discretize.grid(...)`."),
        (
            lambda: grid(VISITS, other={7}),
            "grid needs Visits or Traces, got a set; make them with `ic.discretize.grid(...)` or `ic.read.table(...)`.",
        ),
        (
            lambda: Method()(ic.Counts.from_arrays([[1]], [[0, 0]])),
            "Method needs Visits, got Counts; make them with `ic.discretize.grid(...)`.",
        ),
        (
            lambda: check_kind("audit", VISITS, ic.Release),
            "audit needs a Release, got Visits; make it with `ic.anonymize.Glove(...)(fingerprints)`.",
        ),
    ],
)
def test_a_wrong_noun_names_the_call_and_how_the_right_one_is_made(call, words):
    with pytest.raises(ic.DataError) as error:
        call()
    assert str(error.value) == words


CALLS = {name: call for name, call in public_calls().items() if name not in ("anonymize.Anonymizer", "read.open")}


@pytest.mark.parametrize("name", CALLS)
def test_every_public_call_refuses_a_misspelt_option_in_its_own_name(name):
    called = name if name.endswith("from_arrays") else name.rpartition(".")[2]
    with pytest.raises(ic.ParameterError, match=rf"^{re.escape(called)}\(\) got an unexpected option 'cell_size'; "):
        CALLS[name](cell_size=5)


class Sheet:
    """Something that is no noun."""


FIRST = {  # calls that take one noun, a path, or a release or its path first, and how many other arguments they need
    name: sum(parameter.default is parameter.empty for parameter in given[1:] if parameter.kind is POSITIONAL)
    for name, call in CALLS.items()
    if not inspect.isclass(call)
    and (given := list(inspect.signature(call).parameters.values()))
    and _nouns(given[0].annotation)
}


@pytest.mark.parametrize("name", FIRST)
def test_every_public_call_refuses_a_wrong_noun_in_its_own_name(name):
    called = name.rpartition(".")[2]
    with pytest.raises(ic.DataError, match=rf"^{called} needs .*, got a Sheet") as error:
        CALLS[name](Sheet(), *[None] * FIRST[name])
    assert "make " in str(error.value) or "a path" in str(error.value)


def test_the_walk_sees_nouns_paths_and_releases():
    assert {"measure.uniqueness", "clean.order", "attack.relink", "read.towers", "report.write", "audit.check"} <= set(
        FIRST
    )
    assert len(FIRST) > 40


def test_a_release_or_its_path_is_named_as_both():
    with pytest.raises(ic.DataError) as error:
        ic.attack.relink(Sheet())
    made = "make it with `ic.anonymize.Glove(...)(fingerprints)`"
    assert str(error.value) == f"relink needs a Release or a path, got a Sheet; {made}."
