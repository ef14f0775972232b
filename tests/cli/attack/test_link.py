"""incrowd attack link: two sources of trajectories, visits or releases, on the same squares and slots."""

import json

import numpy as np
import pytest

import incrowd as ic

MOMENTS = {"score": "overlap", "views": ("moments",)}  # what the older options mean


def together(two, tmp_path, origin=None, **grain):
    """The same two files discretized as one and split: what linking them must give."""
    path = tmp_path / "both.csv"
    files = [one.read_text().splitlines() for one in two]
    path.write_text("\n".join([files[0][0], *("a" + r for r in files[0][1:]), *("b" + r for r in files[1][1:])]) + "\n")
    plane = ic.discretize.grid(two[0], **grain).crs if origin is None else None
    centre = origin or tuple(float(plane.split(f"+{name}_0=")[1].split()[0]) for name in ("lon", "lat"))
    both = ic.discretize.grid(path, origin=centre, **grain)
    label, user = both.users[both.owner], np.array([name[1:] for name in both.users.tolist()])
    return [
        ic.Visits.from_arrays(user[both.owner][mine], both.cell[mine], both.slot[mine], slot_min=both.slot_min)
        for mine in (np.char.startswith(label, side) for side in "ab")
    ]


@pytest.mark.parametrize("asked", [{}, {"origin": (4.5, 52.25)}, {"cell_m": 2000, "slot_min": 120}, {"slot_min": 420}])
@pytest.mark.parametrize("period", [1, 24])
def test_two_files_are_linked_as_if_they_had_been_discretized_together(incrowd, two, tmp_path, asked, period):
    words = [f"--{name.replace('_', '-')}={value}" for name, value in asked.items() if name != "origin"]
    words += [f"--origin={asked['origin'][0]},{asked['origin'][1]}"] if "origin" in asked else []
    code, out, err = incrowd("attack", "link", *two, "--period-slots", period, *words, "--json")
    expected = ic.attack.link(
        *together(two, tmp_path, **{"cell_m": 500, "slot_min": 60, **asked}), period_slots=period, **MOMENTS
    )
    told = json.loads(out)
    assert code == 0 and told["hit"]["1"] > 0.3 and told["scored"] == 8 and told["target"] == 9, err
    assert told["hit"] == {str(k): pytest.approx(share) for k, share in expected.hit.items()}
    assert (told["silent"], told["claimed"]) == (expected.silent, expected.claimed)


def test_each_alone_would_lie_in_another_plane(two):
    assert len({ic.discretize.grid(one, cell_m=500).crs for one in two}) == 2


@pytest.mark.parametrize("raw", [0, 1])
def test_trajectories_take_squares_and_slots_of_visits(incrowd, two, tmp_path, raw):
    grain = ("--cell-m", 300, "--slot-min", 90, "--start", "2024-07-01T00:30", "--time-zone", "Europe/Amsterdam")
    saved = tmp_path / "visits.parquet"
    assert incrowd("discretize", two[1 - raw], "-o", saved, *grain)[0] == 0
    sides = [two[0], saved] if raw == 0 else [saved, two[1]]
    code, out, err = incrowd("attack", "link", *sides, "--period-slots", 16, "--json")
    visits = ic.read.saved(saved)
    mine = ic.discretize.alike(two[raw], visits)
    assert (mine.cell_m, mine.slot_min, mine.time_zone, mine.crs) == (300, 90, "Europe/Amsterdam", visits.crs)
    assert (mine.start - visits.start) % (90 * 60) == 0
    expected = ic.attack.link(*((mine, visits) if raw == 0 else (visits, mine)), period_slots=16, **MOMENTS)
    assert code == 0 and json.loads(out)["hit"]["1"] == pytest.approx(expected.hit[1]), err


def test_a_raw_file_is_linked_to_a_release(incrowd, two, tmp_path):
    saved, release = tmp_path / "visits.parquet", tmp_path / "release"
    assert incrowd("discretize", two[0], "-o", saved, "--cell-m", 700)[0] == 0
    words = ("-o", release, "--window-h", 24 * 31, "--keep-link", tmp_path / "link.csv")
    assert incrowd("anonymize", "cut", saved, *words)[0] == 0
    code, out, err = incrowd("attack", "link", two[0], release, "--truth", tmp_path / "link.csv", "--json")
    assert code == 0 and json.loads(out)["hit"]["1"] == 1, err
    code, out, err = incrowd("measure", "utility", two[0], release, "--json")
    assert code == 0 and json.loads(out)["visits_shared"] == 1, err


def test_visits_and_raw_files_are_linked_to_boxes(incrowd, two, tmp_path):
    saved, release, truth = tmp_path / "visits.parquet", tmp_path / "boxes", ("--truth", tmp_path / "link.csv")
    assert incrowd("anonymize", "glove", two[0], "-o", release, "--k", 2, "--keep-link", truth[1])[0] == 0
    assert incrowd("discretize", two[0], "-o", saved, "--into", "grid", "--cell-m", 500, "--slot-min", 60)[0] == 0
    for known in (saved, two[0]):
        code, out, err = incrowd("attack", "link", known, release, *truth, "--json")
        assert code == 0 and 0 < json.loads(out)["hit"]["1"] <= json.loads(out)["hit"]["10"] <= 0.5, err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--origin", "5,52"), "one side has its squares and slots already; leave --origin out"),
        (("--start", "2024-07-01"), "one side has its squares and slots already; leave --start out"),
        (("--cell-m", "200"), "one side has --cell-m 100 already"),
        (("--slot-min", "30"), "one side has --slot-min 1 already"),
    ],
)
def test_what_one_side_has_is_not_asked_for(incrowd, two, tmp_path, words, message):
    saved = tmp_path / "visits.parquet"
    assert incrowd("discretize", two[0], "-o", saved)[0] == 0
    code, _, err = incrowd("attack", "link", saved, two[1], *words)
    assert code == 2 and message in err


def test_visits_that_are_not_on_squares_need_a_tolerance(incrowd, two, tmp_path):
    saved, towers = tmp_path / "visits.parquet", tmp_path / "towers.csv"
    towers.write_text("lon,lat\n4.97,52.3\n5.0,52.33\n5.02,52.35\n")
    assert incrowd("discretize", two[0], "-o", saved, "--into", "towers", "--towers", towers, "--slot-min", 60)[0] == 0
    code, _, err = incrowd("attack", "link", saved, two[0])
    assert code == 2 and "not squares of a grid" in err and "pass --tolerance-m" in err
    code, out, err = incrowd("attack", "link", saved, two[0], "--tolerance-m", 3000, "--json")
    assert code == 0 and json.loads(out)["silent"] < 8, err


def test_link(incrowd, city, release, tmp_path):
    code, out, _ = incrowd("attack", "link", city, release, "--truth", tmp_path / "link.csv", "--json")
    told = json.loads(out)
    assert code == 0 and told["scored"] == 25 and told["hit"]["1"] > told["chance"]["1"]
    code, out, _ = incrowd("attack", "link", city, city, "--tolerance-slots", 1, "--tolerance-m", 10)
    assert code == 0 and "of 25 people); by chance" in out and "views moments" in out
    code, out, _ = incrowd("attack", "link", city, city, "--one-to-one")
    assert code == 0 and "views places, rhythm, one to one" in out and "views moments, one to one" in out
    told = json.loads(incrowd("attack", "link", city, city, "--json")[1])
    assert told["views"] == ["places", "rhythm"] and told["moments"]["score"] == "overlap"
    told = json.loads(incrowd("attack", "link", city, city, "--score", "histogram", "--view", "week", "--json")[1])
    assert (told["score"], told["views"], "moments" in told) == ("histogram", ["week"], False)


def test_a_release_is_not_scored_by_its_pseudonyms(incrowd, city, release, tmp_path):
    for target in (release, release / "data.parquet"):
        code, out, _ = incrowd("attack", "link", city, target, "--report", tmp_path / "r.html", "--force")
        assert code == 0 and "No link file was given" in out and "(0 of" not in out
    assert "No link file was given, so the matches could not be scored" in (tmp_path / "r.html").read_text()
    told = json.loads(incrowd("attack", "link", city, release, "--json")[1])
    assert told["told"] is False and told["hit"] == {"1": None, "10": None} and told["claimed_right"] is None


def test_rows_of_two_sides_do_not_go_into_one_file(incrowd, trips, city, tmp_path):
    trips.write_text(trips.read_text() + "rider9,never,52,5\n")
    other = tmp_path / "other.csv"
    other.write_text(trips.read_text())
    bad = ("--bad-rows", tmp_path / "bad.csv")
    code, _, err = incrowd("attack", "link", trips, other, *bad)
    assert code == 2 and "takes the rows of one source" in err and not (tmp_path / "bad.csv").exists()
    visits = tmp_path / "visits.parquet"
    assert incrowd("discretize", trips, "-o", visits, "--bad-rows", tmp_path / "first.csv")[0] == 0
    code, _, err = incrowd("attack", "link", trips, visits, *bad, "--time-zone", "UTC")
    assert code == 0 and (tmp_path / "bad.csv").read_text().count("\n") == 2, err
    visits = tmp_path / "visits.csv"
    visits.write_text("user,cell,slot\nrider0,1,0\n")
    code, _, err = incrowd("attack", "link", visits, visits, "--bad-rows", tmp_path / "none.csv")
    assert code == 2 and "leave --bad-rows out" in err


def test_a_csv_release_is_not_scored_by_its_pseudonyms(incrowd, city, tmp_path):
    cut = ic.anonymize.Cut(window_h=24)(ic.read.saved(city), pseudonym_seed=1)
    ic.anonymize.publish(cut, tmp_path / "rel", file="csv")
    for target in (tmp_path / "rel", tmp_path / "rel" / "data.csv"):
        code, out, _ = incrowd("attack", "link", city, target)
        assert code == 0 and "No link file was given" in out and "(0 of" not in out


@pytest.fixture
def moved(incrowd, two, tmp_path):
    """A release of points by W4M, whose pseudonyms are numbers as the labels of these people are."""
    numbered = tmp_path / "numbered.csv"
    lines = two[0].read_text().splitlines()
    labels = sorted({line.split(",")[0] for line in lines[1:]})
    rows = [f"{labels.index(line.split(',')[0])},{line.split(',', 1)[1]}" for line in lines[1:]]
    numbered.write_text("\n".join([lines[0], *rows]) + "\n")
    words = ("-o", tmp_path / "w4m", "--k", 2, "--delta-m", 500, "--keep-link", tmp_path / "w4m.csv")
    code, _, err = incrowd("anonymize", "w4m", numbered, *words)
    assert code == 0, err
    return numbered, tmp_path / "w4m", tmp_path / "w4m.csv"


def test_points_of_a_release_are_not_scored_by_their_pseudonyms(incrowd, moved, tmp_path):
    known, release, truth = moved
    visits = tmp_path / "visits.parquet"
    assert incrowd("discretize", known, "-o", visits)[0] == 0
    for side in (known, visits):
        for target in (release, release / "data.parquet"):
            code, out, err = incrowd("attack", "link", side, target)
            assert code == 0 and "No link file was given, so the matches could not be scored" in out, err
        assert json.loads(incrowd("attack", "link", release, side, "--json")[1])["told"] is False
        code, out, err = incrowd("attack", "link", side, release, "--truth", truth, "--json")
        assert code == 0 and json.loads(out)["told"] and json.loads(out)["hit"]["1"] > 0.3, err
    truth.write_text("pseudonym,user,release\n0,0,another\n")
    code, _, err = incrowd("attack", "link", known, release, "--truth", truth)
    assert code == 2 and "belongs to another release" in err


def test_clocks_of_two_zones_are_not_compared(incrowd, two, tmp_path):
    for zone, name in (("Europe/Amsterdam", "a"), ("Asia/Tokyo", "b")):
        words = ("-o", tmp_path / f"{name}.parquet", "--time-zone", zone, "--origin", "5,52")
        assert incrowd("discretize", two[0], *words)[0] == 0
    code, _, err = incrowd("attack", "link", tmp_path / "a.parquet", tmp_path / "b.parquet")
    assert code == 2 and "follow different clocks (Europe/Amsterdam and Asia/Tokyo)" in err


@pytest.mark.filterwarnings("default:the two have no time slot")
@pytest.mark.parametrize(("slot_min", "period"), [(60, "24"), (30, "48"), (420, "1")])
def test_two_periods_without_a_common_slot_are_warned_of(incrowd, two, slot_min, period):
    code, out, err = incrowd("attack", "link", *two, "--slot-min", slot_min, "--view", "moments")
    assert code == 0 and "the two have no time slot in common" in err and f"pass --period-slots {period} (" in err
    assert f"(500 m cells, {slot_min} min slots, UTC, cells counted from 4,52)" in out
    for quiet in ([*two, "--period-slots", period], [two[0], two[0]], two):
        assert "in common" not in incrowd("attack", "link", *quiet)[2]


@pytest.mark.parametrize("words", [("--cell-m", 0), ("--slot-min", 0)])
def test_a_grain_of_zero_is_refused(incrowd, two, words):
    code, _, err = incrowd("attack", "link", *two, *words)
    assert code == 2 and "got 0" in err


def test_other_origins_are_refused_with_what_to_do(incrowd, two, tmp_path):
    for one, name in zip(two, "ab", strict=True):
        assert incrowd("discretize", one, "-o", tmp_path / f"{name}.parquet")[0] == 0
    code, _, err = incrowd("attack", "link", tmp_path / "a.parquet", tmp_path / "b.parquet")
    assert code == 2 and "--origin" in err and "crs" not in err
