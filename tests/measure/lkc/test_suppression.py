import numpy as np
import pytest

import incrowd as ic
from builders import crowd
from incrowd.anonymize import LKC
from incrowd.measure.lkc import Sequences
from incrowd.measure.lkc.suppression import suppression
from incrowd.papers.mohammed2009 import METHOD, table_1


def test_one_suppression_names_no_place(tmp_path):
    shown = METHOD(table_1()).provenance["suppression"].section()
    assert shown.answer.startswith(
        "Suppressing 2 of 7 pairs of cell and slot breaks all 5 violating sequences; 5 of 9 pat"
    )
    assert shown.number == "56 %"
    line = shown.panel("suppression").lines[0]
    assert line.x == [0, 1, 2] and (line.y[0], line.y[-1]) == (5, 0)
    page = ic.report.write(tmp_path / "report.html", shown).read_text()
    assert '"preserved_share"' in page.replace("&#34;", '"') and '"items"' not in page.replace("&#34;", '"')


def test_nothing_to_suppress_draws_nothing():
    assert LKC(k=1)(crowd("0:1 | 0:1")).provenance["suppression"].section().panels == []


def test_a_suppression_that_takes_too_long_is_refused_with_what_to_do():
    """Patterns of half of the pairs each: minutes of work."""
    rows = np.random.default_rng(0).random((100_000, 60)).argsort(axis=1)[:, ::2].astype(np.int32)
    pairs, starts = np.arange(60), np.arange(0, rows.size + 1, 30)
    frequent = Sequences(starts, np.sort(rows).ravel(), pairs, pairs)
    violating = Sequences(np.arange(61), pairs.astype(np.int32), pairs, pairs)
    why = (
        r"the choice of what to suppress did not finish within 0\.2 s \(limit_s\); raise min_support, use coarser cells"
    )
    with pytest.raises(ic.ParameterError, match=why):
        suppression(violating, frequent, "recompute", 0.2, 1)
