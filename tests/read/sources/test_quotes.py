"""A stray quote takes its own line and no other: lines are counted by lines."""

import csv
import gzip
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import incrowd as ic
from incrowd.progress import listening
from incrowd.read.files import CHUNK
from incrowd.read.sources.quotes import Grammar, Quotes

HEAD = "uid,t,y,x,note\n"


def record(at: int, note: str = "") -> str:
    return f"u{at},{at},52,5,{note}\n"


def read(folder, text, name="trips.csv", **options):
    """The times that are read, which number the lines, and the lines set aside with their reason."""
    path, aside = folder / name, folder / "bad.txt"
    data = text.encode()
    if name.endswith(".gz"):
        data = gzip.compress(data)
    if name.endswith(".zst"):
        data = pa.compress(data, codec="zstd", asbytes=True)
    path.write_bytes(data)
    aside.unlink(missing_ok=True)
    traces = ic.read.table(path, bad_rows=aside, **options)
    with aside.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    step = traces.ledger.steps[0]
    assert step.read == step.kept + len(rows) and step.kept == traces.records
    lines = text.splitlines()
    assert all(lines[int(row["number"]) - 1] == row["text"] for row in rows if "\n" not in row["text"])
    return sorted(traces.t.tolist()), sorted(int(row["number"]) for row in rows)


STRAY = [
    ("at the start of a line", '"u{0},{0},52,5,\n'),
    ("at the start of a field", 'u{0},"{0},52,5,\n'),
    ("before the last field", 'u{0},{0},52,5,"\n'),
    ("in a last field that goes on", 'u{0},{0},52,5,"hello\n'),
    ("after a blank", 'u{0}, "{0},52,5,\n'),
    ("around half a field", '"u"{0},{0},52,5,\n'),
    ("twice, the second opens", 'u"{0},"{0},52,5,\n'),
]


@pytest.mark.parametrize("name", ["trips.csv", "trips.csv.gz", "trips.csv.zst"])
@pytest.mark.parametrize("line", [line for _, line in STRAY], ids=[name for name, _ in STRAY])
@pytest.mark.parametrize("at", [0, 50, 99])
def test_a_stray_quote_takes_its_own_line_only(tmp_path, line, at, name):
    text = HEAD + "".join(line.format(i) if i == at else record(i) for i in range(100))
    kept = [i for i in range(100) if i != at]
    assert read(tmp_path, text, name) == (kept, [at + 2])
    assert read(tmp_path, text.replace("\n", "\r\n"), name) == (kept, [at + 2])


def test_a_stray_quote_in_a_file_without_a_header(tmp_path):
    text = '"u0,0,52,5,\n' + "".join(record(i) for i in range(1, 50))
    columns = {"user": 0, "t": 1, "lat": 2, "lon": 3}
    assert read(tmp_path, text, columns=columns) == (list(range(1, 50)), [1])


def test_lines_between_two_stray_quotes_far_apart_are_kept(tmp_path):
    """Together they are one legal field of 5,001 lines."""
    lines = [record(i) for i in range(6000)]
    lines[100], lines[5100] = '"u100,100,52,5,\n', 'u5100",5100,52,5,\n'
    text = HEAD + "".join(lines)
    assert read(tmp_path, text) == ([i for i in range(6000) if i not in (100, 5100)], [102, 5102])
    # Legal CSV by itself: read as it stands, with a warning that names the line.
    with pytest.warns(ic.errors.IncrowdWarning, match=r"begins at line 102 of \S+ spans 5,001 lines \(1 field of more"):
        assert ic.read.table(tmp_path / "trips.csv").records == 1000


def test_two_stray_quotes_on_neighbouring_lines(tmp_path):
    text = HEAD + record(0) + '"u1,1,52,5,\n' + 'u2",2,52,5,\n' + record(3)
    assert read(tmp_path, text) == ([0, 3], [3, 4])


LEGAL = ['"a, b"', '"say ""hello"""', '"two\nlines"', '"three\n\nlines"', '"a\n""quoted""\nword"', '""', 'a 5" pipe']


@pytest.mark.parametrize("note", LEGAL)
def test_legal_quotes_are_read_as_they_stand(tmp_path, note):
    text = HEAD + record(0) + record(1, note) + record(2)
    assert read(tmp_path, text) == ([0, 1, 2], [])
    text = HEAD + '"u0,0,52,5,\n' + record(1) + record(2, note) + record(3)
    assert read(tmp_path, text) == ([1, 2, 3], [2])


def test_a_long_field_is_legal_and_worth_a_warning(tmp_path):
    text = HEAD + record(0) + record(1, '"a\nb\nc\nd"') + record(2)
    with pytest.warns(ic.errors.IncrowdWarning, match=r"line 3 of \S+ spans 4 lines \(1 field of more than 3\)\.$"):
        assert read(tmp_path, text) == ([0, 1, 2], [])
    with pytest.warns(ic.errors.IncrowdWarning, match=r"pass bad_rows=PATH \(--bad-rows FILE\)\.$"):
        assert ic.read.table(tmp_path / "trips.csv").records == 3


def test_what_an_open_field_holds_is_judged_line_by_line_when_it_never_closes(tmp_path):
    text = HEAD + record(0) + 'u1,1,52,5,"hello\n' + "dear reader\n" + "\n" + "goodbye\n"
    assert read(tmp_path, text) == ([0], [3, 4, 6])


def test_a_bad_row_after_a_stray_quote_has_its_own_reason(tmp_path):
    text = HEAD + record(0) + '"u1,1,52,5,\n' + "u2,2,91,5,\n" + "u3,3,x,5,\n" + "u4,4\n" + record(5)
    assert read(tmp_path, text) == ([0, 5], [3, 4, 5, 6])


@pytest.mark.parametrize("options", [{}, {"bad_rows": "bad.txt"}])
@pytest.mark.parametrize("header", ['uid,t,y,x,"note\n', 'uid,t,y,x,"note"s\n'])
def test_a_stray_quote_in_the_header_is_refused(tmp_path, header, options):
    path = tmp_path / "trips.csv"
    path.write_text(header + "".join(map(record, range(500))))
    options = {name: tmp_path / value for name, value in options.items()}
    with pytest.raises(ic.DataError) as caught:
        ic.read.table(path, **options)
    assert str(caught.value) == f"a quote in the header of {path} (line 1) does not close; close it."


def test_a_quoted_header_may_have_two_lines(tmp_path):
    text = HEAD.replace("note", '"a\nnote"') + record(0) + '"u1,1,52,5,\n' + record(2)
    assert read(tmp_path, text) == ([0, 2], [4])


def test_without_bad_rows_the_line_of_the_quote_is_named(tmp_path):
    path = tmp_path / "trips.csv"
    path.write_text(HEAD + "".join('"u9,9,52,5,\n' if i == 7 else record(i) for i in range(300_000)))
    with pytest.raises(ic.DataError, match=r"^a quote that does not close at line 9 of "):
        ic.read.table(path)


def test_every_file_of_several_has_its_own_lines(tmp_path):
    folder = tmp_path / "trips"
    folder.mkdir()
    for name, at in (("a", 3), ("b", None), ("c", 0)):
        lines = [f'"u{i},{i},52,5,\n' if i == at else record(i) for i in range(5)]
        lines[4] = "u4,4,91,5,\n" if name != "a" else lines[4]
        (folder / f"{name}.csv").write_text(HEAD + "".join(lines))
    traces = ic.read.table(folder, bad_rows=tmp_path / "bad.txt")
    rows = list(csv.DictReader((tmp_path / "bad.txt").read_text().splitlines()))
    found = sorted((row["file"][-5:], int(row["number"]), row["reason"][:7]) for row in rows)
    assert found == [("a.csv", 5, "a quote"), ("b.csv", 6, "a latit"), ("c.csv", 2, "a quote"), ("c.csv", 6, "a latit")]
    assert traces.records == 11


def test_lines_are_counted_across_chunks(tmp_path):
    long = "x" * 1000
    lines = [record(i, long) for i in range(3 * CHUNK // 1000)]
    for at in (0, len(lines) // 2, len(lines) - 1):
        lines[at] = f'u{at},"{at},52,5,{long}\n'
    rest = sorted(set(range(len(lines))) - {0, len(lines) // 2, len(lines) - 1})
    assert read(tmp_path, HEAD + "".join(lines)) == (rest, [2, len(lines) // 2 + 2, len(lines) + 1])


def test_a_line_over_2_mb_is_set_aside(tmp_path):
    long = "x" * 2_100_000
    text = HEAD + record(0) + record(1, long) + record(2)
    assert read(tmp_path, text) == ([0, 2], [3])
    (row,) = csv.DictReader((tmp_path / "bad.txt").read_text().splitlines())
    assert (row["reason"], row["column"]) == ("a line over 2 MB", "")
    assert read(tmp_path, HEAD + record(0) + f"u1,1,52,5{long},\n" + record(2)) == ([0, 2], [3])


def test_bad_rows_of_an_encoding_without_the_quote_of_ascii_are_refused(tmp_path):
    path, layout = tmp_path / "trips.csv", ic.read.Layout("a UTF-16 export", encoding="utf-16")
    path.write_text(HEAD + record(0) + '"u1,1,52,5,\n' + record(2), encoding="utf-16")
    with pytest.raises(ic.DataError, match=r"^\S+ is utf-16 text with quotes, .*; convert the file to UTF-8 first\.$"):
        ic.read.table(path, layout=layout, bad_rows=tmp_path / "bad.txt")
    assert not (tmp_path / "bad.txt").exists()
    path.write_text(HEAD + record(0) + "u1,1,91,5,\n" + record(2), encoding="utf-16")
    assert ic.read.table(path, layout=layout, bad_rows=tmp_path / "bad.txt").records == 2


def test_lines_that_close_a_field_and_open_another_are_looked_at_once_or_twice():
    """Each of them would open a field that reaches the end of the file."""
    lines = 2000
    looked = []
    quotes = Quotes(Grammar(b",", b'"', lambda line: bool(looked.append(line))), resume=True)
    for number in range(lines):
        quotes.add(number, b'a","b')
    quotes.close()
    assert sorted(quotes.aside) == list(range(lines))
    assert len(looked) <= 2 * lines


def test_records_among_lines_that_close_a_field_and_open_another_are_kept(tmp_path):
    text = HEAD + record(0) + 'a","b\n' * 20 + record(21) + 'a","b\n' * 20 + "no record\n" + 'a","b\n'
    assert read(tmp_path, text) == ([0, 21], [*range(3, 23), *range(24, 46)])


def test_times_with_stray_quotes_do_not_decide_how_times_are_written(tmp_path):
    """Each such line has two quotes, and as many fields as the others."""
    stray = [f'u{at},{at}",5"2,5,\n' for at in range(0, 20, 2)]
    text = HEAD + "".join(line + record(at) for line, at in zip(stray, range(1, 20, 2), strict=True))
    assert read(tmp_path, text) == (list(range(1, 20, 2)), list(range(2, 22, 2)))


def test_a_copy_that_has_no_room_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=10))
    with pytest.raises(ic.DataError, match=r"lacks the space \(0 MB\); set TMPDIR to a folder with more"):
        read(tmp_path, HEAD + record(0) + '"u1,1,52,5,\n' + record(2))
    assert read(tmp_path, HEAD + record(0) + record(2)) == ([0, 2], [])


def test_a_copy_is_reported_as_progress(tmp_path):
    labels = []
    with listening(lambda label, done, total: labels.append(label)):
        read(tmp_path, HEAD + record(0) + '"u1,1,52,5,\n' + record(2))
    assert labels[0] == "copying trips.csv without lines of stray quotes"


NOTES = st.sampled_from(["", "plain", *LEGAL[:-1]])
STRAYS = st.sampled_from([line for _, line in STRAY])


@given(st.lists(st.tuples(NOTES, st.none() | STRAYS, st.booleans()), min_size=1, max_size=30))
def test_lines_are_records_or_set_aside(tmp_path_factory, plan):
    """Stray quotes that open a field, legal ones of every kind and blank lines, in any order."""
    text, kept, aside = HEAD + record(1000), [1000], []
    for at, (note, stray, blank) in enumerate(plan):
        if stray:
            aside.append(text.count("\n") + 1)
        else:
            kept.append(at)
        text += (stray.format(at) if stray else record(at, note)) + "\n" * blank
        # A legal field of several lines after a stray quote is separated by a record, as it may be its continuation.
        text += record(at + 100)
        kept.append(at + 100)
    assert read(tmp_path_factory.mktemp("quotes"), text) == (sorted(kept), aside)


@given(st.lists(st.tuples(st.integers(0, 10), st.booleans()), min_size=1, max_size=25), st.integers(0, 2**32 - 1))
def test_quotes_anywhere_lose_no_line(tmp_path_factory, plan, seed):
    folder, rng = tmp_path_factory.mktemp("anywhere"), np.random.default_rng(seed)
    lines = []
    for at, (position, stray) in enumerate(plan):
        line = record(at, str(rng.integers(10)))
        lines.append(line[:position] + '"' + line[position:] if stray else line)
    kept, aside = read(folder, HEAD + record(1000) + "".join(lines))
    assert len(kept) + len(aside) == len(lines) + 1 and len(set(aside)) == len(aside)
    assert set(kept) >= {at for at, (_, stray) in enumerate(plan) if not stray}
    assert {number - 3 for number in aside} | set(kept) >= set(range(len(lines)))
    streamed = ic.read.parts(folder / "trips.csv", bad_rows=folder / "again.txt", memory_mb=0.00001)
    assert sorted(t for _, piece in streamed for t in piece.t.tolist()) == kept
    assert (folder / "again.txt").read_text() == (folder / "bad.txt").read_text()
    assert streamed.ledger.steps[0].read == len(lines) + 1
