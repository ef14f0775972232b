"""incrowd.toml: every key is a parameter of a call, and every mistake is named with its line before any work."""

from pathlib import Path

import pytest

from incrowd.cli.app import app
from incrowd.errors import DataError, ParameterError
from incrowd.gate import draft, gate, load
from incrowd.gate.keys import METHODS, TABLES, keys
from incrowd.gate.lines import lines_of
from nights import BOXES, small_gate

GOOD = """[source]
source = "night.csv"
columns = { x = "x", y = "y" }

[anonymize]
method = "glove"
k = 11

[output]
folder = "published"
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "night.csv").write_text("user,t,x,y\n1,0,5,5\n")
    return tmp_path


def written(folder: Path, text: str) -> Path:
    path = folder / "incrowd.toml"
    path.write_text(text)
    return path


def test_values_are_as_calls_take_them_and_paths_start_at_the_file(folder):
    settings = load(written(folder, GOOD + 'links = "private"\n'))
    assert settings.method == "glove" and settings.source == str(folder / "night.csv")
    assert settings.reading == {"columns": {"x": "x", "y": "y"}} and settings.time_zone is None
    assert settings.outputs.folder == folder / "published" and settings.outputs.links == folder / "private"
    assert settings.outputs.history == folder / "incrowd-history.sqlite" and len(settings.sha256) == 64


MISTAKES = [
    ("k = 11", "kk = 11", 7, "unknown key 'kk' in [anonymize]; did you mean k?"),
    ("k = 11", 'k = "11"', 7, "k must be a whole number, got a text"),
    ("k = 11", "k = true", 7, "k must be a whole number, got true or false"),
    ("k = 11", "k = 1", 7, "k must be"),
    ('method = "glove"', 'method = "gloves"', 6, "unknown method 'gloves'; did you mean glove?"),
    ("[anonymize]", "[anonymise]", 5, "unknown table [anonymise]; did you mean anonymize?"),
    ('folder = "published"', "", 9, "the key folder of [output] is missing"),
    ("k = 11", "k = 11\npseudonym_seed = 1", 8, "pseudonym_seed lets whoever has it undo the pseudonyms"),
    ('source = "night.csv"', 'source = "gone.csv"', 2, "gone.csv"),
    ('columns = { x = "x", y = "y" }', 'time_zone = "Europe/Amsterdm"', 3, "Amsterdm"),
    ('columns = { x = "x", y = "y" }', 'layout = "geolive"', 3, "layout"),
    ('columns = { x = "x", y = "y" }', 'columns = { usr = "user" }', 3, "unknown column 'usr'; columns can name"),
    ('columns = { x = "x", y = "y" }', 'columns = ["x"]', 3, "columns must be a table"),
    ('folder = "published"', 'folder = "published"\nlinks = "published/links"', 9, "links"),
    ('folder = "published"', 'folder = "published"\nname = "../x"', 11, "name must be the name of a folder"),
    ('folder = "published"', 'folder = "nowhere/published"', 10, "folder would be in a folder that does not exist"),
    ('folder = "published"', 'folder = "night.csv"', 10, "folder must be a folder"),
    ('folder = "published"', 'folder = "published"\nlinks = "night.csv"', 11, "links must be a folder"),
    ('folder = "published"', 'folder = "published"\nhistory = "."', 11, "history must be a file"),
    ("[output]", "[limits]\nlookup = 0.9\n[output]", 10, "the limit of lookup is 90 %"),
    ("[output]", '[limits]\nlookup = "none"\n[output]', 10, "the limit of lookup is none"),
    ("[output]", "[limits]\nlookups = 0.1\n[output]", 10, "did you mean lookup?"),
    ("[output]", '[limits]\nlookup = "much"\n[output]', 10, "the limit of lookup must be a number"),
    ("[output]", "[assess]\nrecords = 1\n[output]", 10, "only 1 known records"),
    ("[output]", "[assess]\nearlier_last = 0\n[output]", 10, "earlier_last must be a whole number"),
    ("[output]", '[assess]\noverride = " "\n[output]', 10, "override needs a reason"),
    ("[output]", '[clean]\nsteps = ["duplicate"]\n[output]', 10, "steps must be a list"),
    ("[output]", "[clean]\nmin_records = 3\n[output]", 10, "min_records has no use"),
    ("[output]", "[discretize]\nslot_min = 0\n[output]", 10, "slot_min must be a whole number"),
    ("[output]", '[discretize]\ntowers = "gone.csv"\n[output]', 10, "there is no file of towers"),
]


HELD_OUT = [("k = 11", f"k = 11\nhold_out = {share}", 8, "hold_out is refused") for share in ("-1", "0", "1.5", "nan")]
AT_WORK = [
    ('method = "cut"\nwindow_h = -1', "window_h"),
    ('method = "generalize"\nslot_min = -1', "slot_min"),
    ('method = "lkc"\nk = -1', "k"),
    ('method = "lkc"\nl = 2\nc = 1.5', "c"),
    ('method = "counts"\nsuppress_below = -1', "suppress_below"),
    ('method = "counts"\nmove_share = 2.0', "move_share"),
]


@pytest.mark.parametrize(("method", "key"), AT_WORK)
def test_what_only_a_method_can_refuse_is_named_with_its_line_too(tmp_path, method, key):
    path = small_gate(tmp_path)
    grid = "" if "generalize" in method else "[discretize]\ncell_m = 500\n\n"
    path.write_text(path.read_text().replace(BOXES, method).replace("[anonymize]", f"{grid}[anonymize]"))
    number = 1 + [one.partition(" ")[0] for one in path.read_text().splitlines()].index(key)
    with pytest.raises(ParameterError, match=f"incrowd.toml line {number}: "):
        gate(path, first_run=True)


@pytest.mark.parametrize(("old", "new", "line", "words"), [*MISTAKES, *HELD_OUT])
def test_a_mistake_is_named_with_its_line(folder, old, new, line, words):
    with pytest.raises(ParameterError) as error:
        load(written(folder, GOOD.replace(old, new, 1)))
    assert words in str(error.value)
    assert (line == 9 and "links" in words) or f"incrowd.toml line {line}: " in str(error.value)


def test_bad_rows_on_another_disk_are_refused_before_a_night_is_lost(folder):
    """Everything is put in its place by renaming, which no file system does for another."""
    other = Path("/dev/shm")
    if not other.is_dir() or other.stat().st_dev == folder.stat().st_dev:
        pytest.skip("there is no second file system here")
    text = GOOD.replace("[source]", f'[source]\nbad_rows = "{other}/bad-{{date}}.csv"')
    with pytest.raises(ParameterError, match="bad_rows must be on one disk"):
        load(written(folder, text))


def test_what_is_no_toml_says_where(folder):
    with pytest.raises(ParameterError, match=r"incrowd.toml is not TOML: .*line 2"):
        load(written(folder, "[source]\nsource =\n"))
    with pytest.raises(ParameterError, match=r"a key is given twice \(at line 8"):
        load(written(folder, GOOD.replace("k = 11", "k = 11\nk = 12")))
    with pytest.raises(ParameterError, match=r"cannot declare .*source.* twice \(at line 11"):
        load(written(folder, GOOD + "[source]\n"))
    with pytest.raises(DataError, match="incrowd init"):
        load(folder / "other.toml")


def test_a_mark_of_the_byte_order_is_no_mistake(folder):
    assert load(written(folder, f"\ufeff{GOOD}")).method == "glove"


def test_lines_of_values_over_several_lines_and_of_texts_that_look_like_keys():
    text = 'a = """\n[b]\nc = 1\n"""\n# [d]\n[e]\nf = [\n  1, # x = 2\n]\n"g h" = { i = 1 }\n'
    assert lines_of(text) == {("a",): 1, ("e",): 6, ("e", "f"): 7, ("e", "g h"): 10}


def options(*names: str) -> set[str]:
    import typer

    command = typer.main.get_command(app)
    for name in names:
        command = command.commands[name]
    return {option for param in command.params for option in param.opts}


WRITTEN_OTHERWISE = {"budget_s": "--budget", "columns": "--column", "attributes": "--attribute", "values": "--value"}


@pytest.mark.parametrize("method", METHODS)
def test_every_key_is_an_option_of_a_command(method):
    commands = {
        "source": [("read",), ("assess",)],
        "clean": [("clean",)],
        "discretize": [("discretize",), ("anonymize", "counts")],
        "anonymize": [("anonymize", method)],
        "assess": [("assess",)],
        "output": [("gate",)],
    }
    for table in TABLES:
        if table == "limits":
            continue
        known = set().union(*(options(*names) for names in commands[table])) | {
            "--source",
            "--method",
            "--file",
        }
        for name in keys(table, method):
            switch = WRITTEN_OTHERWISE.get(name, f"--{name.replace('_', '-')}")
            assert switch in known, (table, name)


def test_every_key_says_what_it_means():
    for table in TABLES:
        for method in METHODS:
            assert all(key.words for key in keys(table, method).values()), table


def test_init_writes_nothing_if_the_data_cannot_be_read(tmp_path):
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n")
    with pytest.raises(DataError):
        draft(str(tmp_path / "bad.csv"), tmp_path / "incrowd.toml")
    assert [path.name for path in tmp_path.iterdir()] == ["bad.csv"]
