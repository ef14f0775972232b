"""Two sources of trajectories, or one and visits: linked on the same squares and slots."""

import json

import numpy as np
import pytest

import incrowd as ic

JULY = 1_719_792_000  # 2024-07-01T00:00Z


def days(path, first, last, *, guest=False):
    """Eight people who walk about Amsterdam at night and at noon of some days in July 2024."""
    rng = np.random.default_rng(4)
    home, step = rng.uniform(0, 0.05, (8, 2)), rng.uniform(0, 0.02, (8, 31, 2))
    rows = [
        (f"p{u}", JULY + 86_400 * day + 3600 * hour, 4.92 + home[u, 0] + at[0], 52.3 + home[u, 1] + at[1])
        for day in range(first, last)
        for hour in (1, 12)
        for u in range(8)
        for at in [step[u, day] * (hour == 12)]
    ]
    rows += [("guest", JULY + 86_400 * first + 60 * i, 5.3, 52.3) for i in range(500)] if guest else []
    path.write_text("user,t,lon,lat\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return path


@pytest.fixture
def two(tmp_path):
    """In the second half a guest with many records moves the median longitude beyond 5 degrees."""
    return days(tmp_path / "a.csv", 0, 15), days(tmp_path / "b.csv", 15, 31, guest=True)


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
    expected = ic.attack.link(*together(two, tmp_path, **{"cell_m": 500, "slot_min": 60, **asked}), period_slots=period)
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
    expected = ic.attack.link(*((mine, visits) if raw == 0 else (visits, mine)), period_slots=16)
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


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--origin", "5,52"), "one side has its squares and slots already; leave --origin out"),
        (("--start", "2024-07-01"), "one side has its squares and slots already; leave --start out"),
        (("--cell-m", "200"), "one side has --cell-m 500 already"),
        (("--slot-min", "30"), "one side has --slot-min 60 already"),
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
    assert code == 2 and "no squares of a grid" in err and "pass --tolerance-m" in err
    code, out, err = incrowd("attack", "link", saved, two[0], "--tolerance-m", 3000, "--json")
    assert code == 0 and json.loads(out)["silent"] < 8, err


@pytest.mark.parametrize("into", ["grid", "fingerprints"])
@pytest.mark.parametrize("words", [("--origin", "-122,37"), ("--origin=-122,37",)])
def test_an_origin_west_of_greenwich(incrowd, two, tmp_path, into, words):
    path = tmp_path / "made.parquet"
    code, _, err = incrowd("discretize", two[0], "-o", path, "--into", into, *words)
    assert code == 0 and "+lat_0=37 +lon_0=-122 " in ic.read.saved(path).crs, err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--origin", "5"), "--origin takes LON,LAT in degrees, such as -122,37"),
        (("--origin", "52,181"), "check that they are not swapped"),
        (("--origin", "5,52", "--into", "blocks"), "--origin means nothing with --into blocks"),
    ],
)
def test_an_origin_that_means_nothing(incrowd, two, tmp_path, words, message):
    code, _, err = incrowd("discretize", two[0], "-o", tmp_path / "made.parquet", *words)
    assert code == 2 and message in err and not (tmp_path / "made.parquet").exists()


def test_far_towers_are_refused_and_insisted_upon(incrowd, two, tmp_path):
    towers = tmp_path / "towers.csv"
    towers.write_text("lat,lon\n4.97,52.3\n5.0,52.33\n5.02,52.35\n")
    for command in (
        ("discretize", two[0], "--into", "towers", "-o", tmp_path / "visits.parquet"),
        ("anonymize", "counts", two[0], "-o", tmp_path / "counts.parquet"),
        ("attack", "ash", two[0], "--slot-min", 360),
        ("assess", two[0], "--estimate"),
    ):
        words = (*command, "--towers", towers)
        code, _, err = incrowd(*words)
        assert code == 2 and "lon and lat may be swapped" in err and "--far-towers" in err
        assert incrowd(*words, "--far-towers")[0] == 0
