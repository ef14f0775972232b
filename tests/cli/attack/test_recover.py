"""incrowd attack recover, end to end on a handful of people."""

import json
import sys

import pytest

import incrowd as ic
from incrowd.plain import percent


@pytest.fixture
def visits(trips, towers, tmp_path):
    made = ic.discretize.towers(trips, ic.read.towers(towers), slot_min=60, fill="interpolate")
    made.save(tmp_path / "visits.parquet")
    return made


def test_trajectories_are_counted_attacked_and_scored(incrowd, trips, towers, visits, tmp_path):
    words = ("attack", "recover", trips, "--towers", towers, "--slot-min", 60, "--seed", 1)
    code, out, err = incrowd(*words, "-o", tmp_path / "ash.html", "--recovered", tmp_path / "people.parquet")
    assert code == 0 and err == ""
    assert "A trajectory was reconstructed for each of 4 people over 1 day" in out
    score = ic.attack.recovery_score(ic.attack.recover(ic.discretize.counts(visits), seed=1), visits)
    assert f"{percent(score.accuracy)} of the positions of 4 people" in out and "identified by the top k cells" in out
    chance = ic.attack.chance_accuracy(ic.discretize.counts(visits), visits, seed=1)
    static, random = (percent(chance[guess]) for guess in ("everyone static", "random assignment"))
    guesses = f"{static} by assuming that nobody moves and {random} by assigning positions at random"
    assert f"By guessing from the same counts, positions are right: {guesses}." in out
    *before, last = out.splitlines()[-1].partition("in Python: ")[2].split("; ")
    scope = {"ic": ic}
    exec(before[0], scope)
    assert out.splitlines()[-1].startswith("60 min slots; ") and eval(last, scope).accuracy == score.accuracy
    page = (tmp_path / "ash.html").read_text()
    assert "How many positions are reconstructed correctly?" in page
    assert page.count("<svg") == 3
    people = ic.read.saved(tmp_path / "people.parquet")
    assert ic.discretize.counts(people).n.tolist() == ic.discretize.counts(visits).n.tolist()
    code, out, _ = incrowd("attack", "recover", tmp_path / "visits.parquet", "--seed", 1, "--json")
    record = json.loads(out)
    assert record["score"]["accuracy"] == score.accuracy and record["recovered"]["users"] == 4
    assert record["chance"] == chance
    assert "cells" not in record["recovered"] and record["mitigations"] is None


def test_published_counts_show_what_an_attacker_sees(incrowd, visits, towers, tmp_path):
    rows = ic.discretize.counts(visits).columns()
    lines = [
        f"{slot},{cell},{n}" for slot, cell, n in zip(*(rows[c].tolist() for c in ("slot", "cell", "n")), strict=True)
    ]
    (tmp_path / "c.csv").write_text("slot,cell,n\n" + "\n".join(lines) + "\n")
    words = ("attack", "recover", tmp_path / "c.csv", "--cells", towers, "--slot-min", 60)
    code, out, err = incrowd(*words, "-o", tmp_path / "r.html")
    assert (
        code == 0
        and err == ""
        and "There is no ground truth for these positions" in out
        and "A trajectory was reconstructed for each of 4 people" in out
    )
    assert "lower bound" in (tmp_path / "r.html").read_text()
    code, out, _ = incrowd(*words, "--truth", tmp_path / "visits.parquet")
    assert code == 0 and "of the positions of" in out
    code, _, err = incrowd(*words, "--sweep")
    assert code == 2 and "--truth VISITS" in err


def test_counts_that_do_not_add_up_are_repaired_with_a_note(incrowd, visits, tmp_path):
    ic.anonymize.suppress_small(ic.discretize.counts(visits), k=2).save(tmp_path / "c.parquet")
    code, out, err = incrowd("attack", "recover", tmp_path / "c.parquet", "--users", 4)
    assert code == 0 and "repaired to 4 people" in err and "slots scaled" in err
    assert "A trajectory was reconstructed for each of 4 people" in out


def test_the_sweep_names_the_cheapest(incrowd, trips, towers, tmp_path):
    words = ("attack", "recover", trips, "--towers", towers, "--slot-min", 60, "--sweep", "--target", 0.5)
    words += ("--strengths", "suppress=2")
    code, out, err = incrowd(*words, "--regions", towers, "-o", tmp_path / "s.html")
    assert code == 0 and "From the counts as they are, 72.9 % of the positions of 4 people" in out
    assert "advantage at most 50 %" in out and "everyone static" in out and "membership AUC 0.600" in out
    assert err.startswith("2 attacks more, ") and err.endswith(" s if each takes as long as the last\n")
    for way in ("counts as they are", "counts below 2", "slots of 180 min", "2 given regions"):
        assert f"\n{way}" in out
    assert "Which mitigation keeps trajectories" in (tmp_path / "s.html").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--sweep", "--target", "2"), "--target must be in (0, 1]"),
        *(
            (("--sweep", "--longer-min", bad), "--longer-min takes minutes")
            for bad in ("abc", "-90", "90.5", "100", "0")
        ),
        (("--sweep", "--longer-min", "45"), "multiples of the slots of 30 min"),
        (("--sweep", "--longer-min", "30"), "multiples of the slots of 30 min"),
        (("--sweep", "--strengths", "noise"), "--strengths takes NAME=VALUES"),
        (("--sweep", "--strengths", "magic=1"), "unknown mitigation 'magic'"),
        (("--sweep", "--strengths", "suppress=0.5"), "strength of suppress must be a whole number"),
        (("--recovered", "same.csv", "-o", "same.csv"), "name the same file"),
        (("--method", "threshold"), "needs theta_m"),
        (("--slot-min", "50"), "do not divide 6 hours"),
        (("--recovered", "people.txt"), "end its name in .parquet or .csv"),
        (("--counts",), "no column for cell"),
    ],
)
def test_what_makes_no_sense_is_refused(incrowd, trips, words, message):
    code, out, err = incrowd("attack", "recover", trips, *words)
    assert code == 2 and message in err and out == "" and err.count("\n") == 1


def test_less_than_a_day_and_unequal_totals_are_refused_by_the_attack():
    xy = [[0, 0], [500, 0]]
    with pytest.raises(ic.DataError, match="not whole days"):
        ic.attack.recover(ic.Counts.from_arrays([[1, 1]] * 3, xy, slot_min=60))
    with pytest.raises(ic.DataError, match=r"call incrowd\.attack\.repair first"):
        ic.attack.recover(ic.Counts.from_arrays([[1, 1]] * 23 + [[1, 0]], xy, slot_min=60))
    with pytest.raises(ic.DataError, match=r"not whole; call incrowd\.attack\.repair first"):
        ic.attack.recover(ic.Counts.from_arrays([[1.5, 0.5]] * 24, xy, slot_min=60))


@pytest.fixture
def attacks(monkeypatch):
    """How many attacks were made so far."""
    from incrowd import attack
    from incrowd.assess import mitigations  # noqa: F401  its module is patched below

    made = []

    def counting(counts, **how):
        made.append(counts)
        return recover(counts, **how)

    recover = attack.recover
    monkeypatch.setattr(attack, "recover", counting)
    monkeypatch.setattr(sys.modules["incrowd.assess._mitigations"], "recover", counting)
    return made


def test_the_plain_attack_is_made_once_and_strengths_are_chosen(incrowd, trips, towers, attacks):
    words = ("attack", "recover", trips, "--towers", towers, "--slot-min", 60, "--sweep", "--longer-min", "")
    code, out, _ = incrowd(*words, "--strengths", "suppress=1,2", "--strengths", "round=2", "--json")
    record = json.loads(out)
    tried = [(one["mitigation"], one["strength"]) for one in record["mitigations"]["outcomes"]]
    assert code == 0 and tried == [("none", 0), ("suppress", 1), ("suppress", 2), ("round", 2)] and len(attacks) == 4
    assert record["mitigations"]["outcomes"][0]["accuracy"] == record["score"]["accuracy"]


def test_a_grid_has_longer_slots_too(incrowd, trips):
    words = ("attack", "recover", trips, "--cell-m", 1000, "--sweep", "--strengths", "suppress=2")
    code, out, _ = incrowd(*words)
    assert code == 0 and "\nslots of 90 min" in out and "\nslots of 180 min" in out


def test_bad_rows_are_listed_once(incrowd, trips, tmp_path):
    trips.write_text(trips.read_text() + "rider9,never,52,5\n")
    words = ("attack", "recover", trips, "--sweep", "--strengths", "suppress=2", "--bad-rows", tmp_path / "bad.csv")
    code, out, _ = incrowd(*words)
    assert code == 0 and "\nslots of 180 min" in out and (tmp_path / "bad.csv").read_text().count("\n") == 2


def test_what_a_sweep_cannot_do_is_said_before_any_attack(incrowd, trips, towers, visits, attacks, tmp_path):
    ic.discretize.counts(visits).save(tmp_path / "c.parquet")
    people, sweep = tmp_path / "people.parquet", ("--sweep", "--slot-min", 60, "--towers", towers)
    (tmp_path / "short.csv").write_text("district\nwest\n")
    (tmp_path / "bare.csv").write_text("lat,lon\n52,5\n")
    (tmp_path / "bin.csv").write_bytes(b"\xff\xfe\x00,\xd8\n\x80,1\n")
    for words, message in (
        ((tmp_path / "visits.parquet", *sweep, "--longer-min", 180), "needs trajectories, not Visits"),
        ((tmp_path / "c.parquet", *sweep), "--truth VISITS"),
        ((tmp_path / "c.parquet", "--truth", tmp_path / "visits.parquet", *sweep, "--longer-min", 180), "not Visits"),
        ((tmp_path / "c.parquet", "--truth", tmp_path / "c.parquet"), "c.parquet holds Counts, which do not say who"),
        ((trips, *sweep, "--regions", tmp_path / "short.csv"), "one label for each of the 3 cells"),
        ((trips, *sweep, "--regions", tmp_path / "bare.csv"), "bare.csv has no column region or district"),
        ((trips, *sweep, "--regions", tmp_path / "bin.csv"), "give CSV in UTF-8"),
        ((tmp_path / "bin.csv", "--counts", "--cells", towers), "give CSV in UTF-8"),
    ):
        code, out, err = incrowd("attack", "recover", *words, "--recovered", people)
        assert code == 2 and message in err and out == "" and err.count("\n") == 1
    assert not attacks and not people.exists()


def test_the_truth_says_how_many_were_counted(incrowd, visits, tmp_path):
    made = ic.anonymize.suppress_small(ic.discretize.counts(visits), k=2)
    made.save(tmp_path / "c.parquet")
    assert ic.attack.repair(made).n[0].sum() != 4
    code, out, err = incrowd("attack", "recover", tmp_path / "c.parquet", "--truth", tmp_path / "visits.parquet")
    assert code == 0 and "repaired to 4 people" in err and "of the positions of" in out


def test_the_shortcut_is_told_by_what_it_costs(incrowd, trips, towers):
    words = ("attack", "recover", trips, "--towers", towers, "--slot-min", 60)
    code, out, _ = incrowd(*words, "--method", "threshold", "--theta-m", 3000)
    assert code == 0 and "The shortcut makes a link of two slots longer than its optimum by" in out
    assert "proven to be the shortest" not in out and "proven to be the shortest" in incrowd(*words)[1]


def test_a_table_of_counts_is_told_from_one_of_records(incrowd, tmp_path):
    (tmp_path / "c.csv").write_text("slot,cell,n\n0,0,4\n")
    code, _, err = incrowd("attack", "recover", tmp_path / "c.csv")
    assert code == 2 and "table of counts and names nobody; pass --counts" in err
    (tmp_path / "d.csv").write_text("slot,place\n0,0\n")
    code, _, err = incrowd("attack", "recover", tmp_path / "d.csv")
    assert code == 2 and "--counts" not in err


def test_counts_of_several_files_and_the_labels_of_their_publisher(incrowd, tmp_path):
    for day in range(2):
        rows = [f"{24 * day + hour},{cell},1" for hour in range(24) for cell in ("quay", "mill")]
        (tmp_path / f"day{day}.csv").write_text("slot,cell,n\n" + "\n".join(rows) + "\n")
    (tmp_path / "cells.csv").write_text("cell,x,y\nquay,0,0\nmill,900,0\n")
    words = ("--cells", tmp_path / "cells.csv", "--counts", "--slot-min", 60)
    for sources in ((tmp_path / "day0.csv", tmp_path / "day1.csv"), (tmp_path / "day*.csv",)):
        code, out, _ = incrowd("attack", "recover", *sources, *words, "--recovered", tmp_path / "people.csv", "--force")
        assert code == 0 and "A trajectory was reconstructed for each of 2 people over 2 days" in out
    lines = (tmp_path / "people.csv").read_text().replace('"', "").splitlines()
    assert lines[0] == "user,cell,slot" and lines[1] == "0,quay,0" and lines[-1] == "1,mill,47"
    shifted = (tmp_path / "day0.csv").read_text().replace("\n0,", "\n24,")
    (tmp_path / "one.csv").write_text(shifted)
    code, _, err = incrowd("attack", "recover", tmp_path / "one.csv", *words, "--users", 2)
    assert code == 0 and err.startswith("read: 1 empty slot 0 and a last day of one slot: counted from 1,")
    code, _, err = incrowd("attack", "recover", tmp_path / "day0.csv", *words, "--days", 1)
    assert code == 2 and "leave --start and --days out" in err


def test_a_stray_time_is_left_out_by_start_and_days(incrowd, trips, towers, visits, tmp_path):
    with trips.open("a") as file:
        file.write("rider0,1999-01-01T00:00:00Z,52,5\nrider1,2031-01-01T00:00:00Z,52,5\n")
    period = ("--start", "2024-03-01", "--days", 1, "--slot-min", 60)
    for places in (("--towers", towers), ("--cell-m", 2000)):
        code, out, _ = incrowd("attack", "recover", trips, *places, *period)
        assert code == 0 and "A trajectory was reconstructed for each of 4 people over 1 day" in out
    code, out, _ = incrowd(
        "attack", "recover", trips, *period, "--sweep", "--strengths", "round=2", "--longer-min", 180
    )
    assert code == 0 and "slots of 180 min" in out
    code, _, err = incrowd("attack", "recover", trips, "--slot-min", 60, "--days", 0)
    assert code == 2 and "days must be a whole number" in err
    code, _, err = incrowd("attack", "recover", tmp_path / "visits.parquet", "--days", 1)
    assert code == 2 and "leave --start and --days out" in err


@pytest.mark.parametrize("option", [("--strengths", "round=2"), ("--longer-min", "90"), ("--regions", "towers.csv")])
def test_options_of_a_sweep_need_one(incrowd, trips, option):
    code, _, err = incrowd("attack", "recover", trips, *option)
    assert code == 2 and f"{option[0]} is about mitigations; pass --sweep too" in err


def test_a_table_of_records_is_not_called_one_of_counts(incrowd, tmp_path):
    rows = "".join(f"a,2024-03-01T{h:02}:00Z,5.0,{95 if h == 3 else 52},s,1\n" for h in range(6))
    (tmp_path / "t.csv").write_text("user,time,lon,lat,site,value\n" + rows)
    code, _, err = incrowd("attack", "recover", tmp_path / "t.csv")
    assert code == 2 and "latitude" in err and "--counts" not in err
    (tmp_path / "c.csv").write_text("id,date,n\n0,2024-03-01,4\n")
    code, _, err = incrowd("attack", "recover", tmp_path / "c.csv")
    assert code == 2 and "pass --counts" in err  # the id of a cell is nobody's


@pytest.fixture
def published(visits, tmp_path):
    """The same counts under names of a publisher, and visits as a table."""
    rows = ic.discretize.counts(visits).columns()
    columns = [rows[name].tolist() for name in ("slot", "cell", "n")]
    lines = [",".join(map(str, row)) for row in zip(*columns, strict=True)]
    (tmp_path / "c.csv").write_text("slot,cell,mensen\n" + "\n".join(lines) + "\n")
    places = "".join(f"{cell},{x!r},{y!r}\n" for cell, (x, y) in enumerate(visits.xy.tolist()))
    (tmp_path / "plaatsen.csv").write_text("cell,oost,noord\n" + places)
    visits.save(tmp_path / "t.csv")
    names = ("n=mensen", "cell=cell", "x=oost", "y=noord")
    roles = [word for role in names for word in ("--column", role)]
    return ("attack", "recover", tmp_path / "c.csv", "--cells", tmp_path / "plaatsen.csv", "--slot-min", 60, *roles)


def test_columns_of_the_counts_are_not_those_of_the_truth(incrowd, published, trips, towers, tmp_path):
    zone = ("--time-zone", "Europe/Amsterdam")
    trips.write_text(trips.read_text().replace("user,time,lat,lon", "wie,time,lat,lon"))
    for truth in (
        (tmp_path / "visits.parquet", *zone),
        (tmp_path / "t.csv", *zone),
        (trips, "--column", "user=wie", "--towers", towers),
    ):
        code, out, err = incrowd(*published, "--truth", *truth)
        assert code == 0 and "of the positions of" in out, err


@pytest.mark.parametrize("ids", [["S-07", "S-03", "S-11"], ["1204", "88", "3107"], ["2", "0", "1"]])
@pytest.mark.parametrize("header", ["user,station,slot", "user,cell,slot", "wie,halte,blok"])
@pytest.mark.parametrize("own_places", [False, True])
def test_a_table_of_visits_calls_cells_as_the_counts_do(incrowd, tmp_path, ids, header, own_places):
    """Two people at three stations: everybody stays for a day, so that the attack gets everything right."""
    where = dict(zip(ids, ("5.0,52.0", "5.1,52.0", "5.0,52.1"), strict=True))
    n = {ids[0]: 1, ids[1]: 0, ids[2]: 1}
    counted = [f"{slot},{cell},{n[cell]}" + f",{where[cell]}" * own_places for slot in range(24) for cell in ids]
    more = ",lon,lat" * own_places
    halte = header.startswith("wie")
    names = "blok,halte,n" if halte else "slot,cell,n"
    (tmp_path / "c.csv").write_text(f"{names}{more}\n" + "\n".join(counted) + "\n")
    (tmp_path / "s.csv").write_text("station,lon,lat\n" + "".join(f"{cell},{at}\n" for cell, at in where.items()))
    seen = [(user, cell, slot) for slot in range(24) for user, cell in (("ann", ids[2]), ("bob", ids[0]))]
    (tmp_path / "v.csv").write_text(f"{header}\n" + "".join(f"{u},{c},{s}\n" for u, c, s in seen))
    places = () if own_places else ("--cells", tmp_path / "s.csv")
    roles = ("--column", "user=wie", "--column", "cell=halte", "--column", "slot=blok") if halte else ()
    words = ("attack", "recover", tmp_path / "c.csv", "--counts", *places, "--slot-min", 60, *roles)
    code, out, err = incrowd(*words, "--truth", tmp_path / "v.csv", "--json")
    assert code == 0 and json.loads(out)["score"]["accuracy"] == 1, err
    (tmp_path / "v.csv").write_text(f"{header}\n" + "".join(f"{u},{c}x,{s}\n" for u, c, s in seen))
    code, _, err = incrowd(*words, "--truth", tmp_path / "v.csv")
    assert code == 2 and "cell is not among the 3 cells at row 0 (48 such rows)" in err


@pytest.mark.parametrize(
    "option",
    [
        ("--time-format", "%Y%m%d"),
        ("--antennas", "towers.csv"),
        ("--bad-rows", "bad.csv"),
        ("--layout", "tdrive"),
        ("--attribute", "job"),
    ],
)
def test_options_that_counts_are_not_read_with_are_refused(incrowd, published, visits, tmp_path, option):
    code, out, err = incrowd(*published, *option)
    assert code == 2 and f"counts are not records; leave {option[0]} out" in err and not out
    ic.discretize.counts(visits).save(tmp_path / "c.parquet")
    for words in (option, ("--column", "n=mensen"), ("--time-zone", "UTC")):
        code, _, err = incrowd("attack", "recover", tmp_path / "c.parquet", *words)
        assert code == 2 and f"leave {words[0]} out" in err


def test_a_slot_of_no_width_is_refused(incrowd, trips, published):
    for words in (("attack", "recover", trips), published):
        code, _, err = incrowd(*words, "--slot-min", 0)
        assert code == 2 and "slot_min must be a whole number of at least 1" in err


def test_bad_rows_of_the_records_and_of_the_truth(incrowd, trips, visits, tmp_path):
    trips.write_text(trips.read_text() + "rider9,never,52,5\n")
    words = ("attack", "recover", trips, "--slot-min", 60, "--bad-rows", tmp_path / "bad.csv", "--truth")
    code, _, err = incrowd(*words, trips)
    assert code == 2 and "takes the rows of one source" in err and not (tmp_path / "bad.csv").exists()
