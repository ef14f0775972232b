"""Sections as text and Markdown, and what every result can do, on small ones."""

import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import pytest

import incrowd as ic
from incrowd.data.table import Frame
from incrowd.show import Cdf, Result, Section, Table, curve, lined_up, markdown, section_of, text
from test_api_words import public_calls

SECTION = Section(
    question="How many people are identified?",
    answer="20.0 % (2 of 10 people).",
    panels=[Cdf("k-gap", "k-gap", "people", (curve("k = 2", [0.1, 0.2]),), "Distribution (n = 10).")],
    tables=[Table(("method", "share", "people"), [("cut", "20.0 %", "10"), ("a|b", "-", "1,200")], "By method.")],
    method=["Counted."],
    options="k = 2, seed 0",
)


def test_text_begins_with_the_answer_and_ends_with_the_settings():
    lines = text(SECTION).splitlines()
    assert lines[0] == "20.0 % (2 of 10 people)."
    assert lines[-1] == "(k = 2, seed 0)"
    assert lines[2:6] == ["By method.", "method   share  people", "cut     20.0 %      10", "a|b          -   1,200"]


def test_text_without_tables_is_two_lines():
    assert text(SECTION, tables=False) == "20.0 % (2 of 10 people).\n(k = 2, seed 0)"


def test_columns_of_words_go_to_the_left():
    assert lined_up(Table(("name", "n"), [("a", "x1 y"), ("bbbbb", "z")])) == ["name   n", "a      x1 y", "bbbbb  z"]


def test_long_words_are_wrapped_and_numbers_are_not():
    lines = lined_up(Table(("test", "n", "why"), [("a", "1,200", "one two three four five six seven")]), width=32)
    assert lines == ["test      n  why", "a     1,200  one two three four five", "             six seven"]


def test_a_table_without_rows_is_its_head():
    assert lined_up(Table(("name", "n"), [])) == ["name  n"]


def test_markdown_escapes_bars_and_names_figures():
    page = markdown(SECTION)
    assert page.startswith("## How many people are identified?\n\n20.0 % (2 of 10 people).\n")
    assert "| a&#124;b | - | 1,200 |" in page and "| --- | --- | --- |" in page
    assert "Figure: Distribution (n = 10)." in page and page.endswith("(k = 2, seed 0)\n")


def test_a_panel_is_found_by_its_name():
    assert SECTION.panel("k-gap") is SECTION.panels[0] and SECTION.panel("other") is None


@dataclass(frozen=True)
class Share(Result):
    value: float
    people: np.ndarray

    def section(self) -> Section:
        rows = [("<b>", f"{self.value:g}")]
        return Section("How many?", f"{self.value:g} of all.", tables=[Table(("who", "share"), rows)], options="seed 0")


@dataclass(frozen=True)
class PerPerson(Share):
    def columns(self) -> Mapping[str, Any]:
        return {"position": np.arange(len(self.people)), "crowd": self.people}

    @classmethod
    def together(cls, results):
        return Section("Together?", f"{len(results)} results.")


SHARE = Share(0.5, np.array([1, 2]))


def test_str_is_the_answer_and_the_settings():
    assert str(SHARE) == "0.5 of all.\n(seed 0)"


def test_a_notebook_gets_the_tables_escaped():
    page = SHARE._repr_html_()
    assert page.startswith("<p>0.5 of all.</p>") and "<td>&lt;b&gt;</td>" in page and "seed 0" in page


def test_a_mapping_holds_plain_values():
    assert SHARE.to_dict() == {"value": 0.5, "people": [1, 2]}


def test_a_frame_has_one_row_of_single_values_or_a_row_for_each_person():
    assert SHARE.to_arrow().to_pydict() == {"value": [0.5]}
    assert PerPerson(0.5, np.array([3, 4])).to_pandas()["crowd"].tolist() == [3, 4]


def test_without_pandas_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ic.MissingExtra, match="pip install pandas"):
        SHARE.to_pandas()


def test_sections_of_one_of_several_and_of_something_else():
    several = [PerPerson(0.1, np.arange(2)), PerPerson(0.2, np.arange(2))]
    assert section_of(SHARE).answer == "0.5 of all."
    assert section_of(several).answer == "2 results."
    section = SHARE.section()
    assert section_of(section) is section
    for other in ([SHARE, SHARE], [], "text", [SHARE, several[0]]):
        with pytest.raises(ic.ParameterError, match="cannot be shown"):
            section_of(other)


def _without_extras(name):
    assert name == "incrowd.spark"  # needs pyspark


def kinds(base=Result):
    """Every kind of result, the kinds of kinds too."""
    for module in pkgutil.walk_packages(ic.__path__, "incrowd.", onerror=_without_extras):
        if not re.search(r"\.(gpu|cli|spark|__main__)(\.|$)", module.name):
            importlib.import_module(module.name)
    below = [kind for kind in base.__subclasses__() if kind.__module__.startswith("incrowd.")]
    return {kind.__name__: kind for one in below for kind in (one, *kinds(one).values())}


KINDS = kinds()
PARENTS = {"AssessmentHead", "Lost"}  # made only as one of their kinds


def test_every_kind_of_result_makes_its_own_section():
    lazy = [name for name, kind in KINDS.items() if kind.section is Result.section]
    assert set(lazy) <= PARENTS and {"Uniqueness", "Assessment", "Linkage", "Verdict", "Release", "Ledger"} <= set(
        KINDS
    )


def test_what_a_public_call_returns_is_a_noun_or_a_result():
    """Whatever incrowd computes can be printed, shown and put in a frame; nouns can be put in one too."""
    others = {"City", "GateSettings", "Parts", "Windows"}  # bundles of nouns, pieces of a source, what a file says
    returned = {
        kind
        for call in public_calls().values()
        if not inspect.isclass(call)
        for hint in [inspect.signature(call).return_annotation]
        for kind in (hint, *get_args(hint))
        if inspect.isclass(kind) and kind.__module__.startswith("incrowd.")
    }
    assert len(returned) > 25
    strange = {kind.__name__ for kind in returned if not issubclass(kind, Result | Frame)} - others
    assert strange == set()
    for kind in returned:
        if kind.__name__ not in others:
            assert all(callable(getattr(kind, name, None)) for name in ("to_arrow", "to_pandas")), kind
            assert issubclass(kind, Frame) or callable(kind.to_dict)
