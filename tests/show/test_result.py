"""What every result can do, on a small one."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import incrowd as ic
from incrowd.show import Result, Section, Table, section_of


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
