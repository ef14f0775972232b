"""A misspelt option or a wrong noun is refused in the name of the call."""

import inspect
from dataclasses import dataclass, replace
from typing import TypedDict, Unpack

import numpy as np
import pytest

import incrowd as ic
from incrowd.errors import check_kind, public
from incrowd.read.layouts import Reading


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


CALLS = [
    (step, name)
    for step in (ic.read, ic.clean, ic.discretize)
    for name in step.__all__
    if inspect.isroutine(getattr(step, name)) and name not in ("open", "saved")  # open passes its options on
]


@pytest.mark.parametrize(("step", "name"), CALLS, ids=lambda part: part if isinstance(part, str) else "")
def test_every_call_names_itself_and_explains_its_parameters(step, name):
    call = getattr(step, name)
    with pytest.raises(ic.ParameterError, match=rf"^{name}\(\) got an unexpected option 'cell_size'"):
        call(cell_size=5)
    explained = inspect.getdoc(call).partition("Args:\n")[2]
    options = list(inspect.signature(call).parameters)
    if "reading" in options:
        options.remove("reading")
        options += Reading.__annotations__
    assert [option for option in options if f"\n    {option}: " not in f"\n{explained}"] == []
