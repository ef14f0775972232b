"""incrowd audit of releases that incrowd made of raw files."""

import pytest

TWINS = [("a", 0, 4, 52), ("b", 600, 4, 52), ("c", 0, 6, 52), ("c", 10, 6, 52), ("d", 80_000, 4, 53)]
METHODS = {
    "glove": ("--k", 2, "--max-extent-min", 360),
    "lkc": ("--k", 2, "--l", 1, "--slot-min", 60),
    "w4m": ("--k", 2, "--trash", 0.5),
    "cut": ("--window-h", 6),
    "generalize": (),
}


@pytest.fixture
def twins(tmp_path):
    """Somebody who will be suppressed was twice in one cell within a minute."""
    path = tmp_path / "twins.csv"
    rows = (f"{user},{1_500_000_000 + second},{lon},{lat}\n" for user, second, lon, lat in TWINS)
    path.write_text("user,t,lon,lat\n" + "".join(rows))
    return path


@pytest.mark.parametrize("method", METHODS)
def test_what_was_made_of_a_raw_file_passes_against_it(incrowd, twins, tmp_path, method):
    link = tmp_path / "link.csv"
    words = ("-o", tmp_path / "release", "--keep-link", link, *METHODS[method])
    code, _, err = incrowd("anonymize", method, twins, *words)
    assert code == 0, err
    code, out, err = incrowd("audit", tmp_path / "release", "--original", twins, "--link", link)
    assert code == 0 and ", 0 failed, " in out, out + err
    if method == "glove":
        assert "removed the 3 others (2 at the grain" in " ".join(out.split())


def test_the_link_of_an_earlier_run_is_refused_in_a_sentence(incrowd, twins, tmp_path):
    for name in ("one", "other"):
        words = ("-o", tmp_path / name, "--window-h", 6, "--keep-link", tmp_path / f"{name}.csv")
        assert incrowd("anonymize", "cut", twins, *words)[0] == 0
    stale = ("--link", tmp_path / "other.csv")
    for words in (
        ("audit", tmp_path / "one", "--original", twins, *stale),
        ("attack", "relink", tmp_path / "one", *stale),
        ("assess", twins, "--release", tmp_path / "one", *stale),
    ):
        code, _, err = incrowd(*words)
        assert code == 2 and "this link file belongs to another release; give the one written with it." in err, words


def test_a_split_says_what_an_audit_will_say(incrowd, twins, tmp_path):
    _, out, _ = incrowd("anonymize", "glove", twins, "-o", tmp_path / "release", "--reshape", "split")
    assert "A piece of a split may hold no sample of a member" in out
    _, out, _ = incrowd("anonymize", "glove", twins, "-o", tmp_path / "union", "--reshape", "union")
    assert "piece of a split" not in out
    _, out, _ = incrowd("anonymize", "glove", "--help")
    assert "which an audit calls untrue" in " ".join(out.replace("│", " ").split())
