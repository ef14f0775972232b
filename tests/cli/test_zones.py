"""--time-zone: every day and hour that a command prints or draws is that of the zone."""

import json
import re
from html import unescape

import pytest

import incrowd as ic

ZONE = "Europe/Amsterdam"
FIRST = 1_704_151_800  # 2024-01-01 23:30 UTC, 2024-01-02 00:30 in Amsterdam


@pytest.fixture
def day(tmp_path):
    """Six people every hour from 00:30 to 23:30 of one day in Amsterdam, which are two days in UTC."""
    rows = [
        (user, FIRST + 3600 * hour, 5 + 0.01 * (user * hour % 7), 52 + 0.01 * (hour % 5))
        for user in range(6)
        for hour in range(24)
    ]
    path = tmp_path / "trips.csv"
    path.write_text("user,t,lon,lat\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows))
    return path


def words(page):
    """What a person reads on a page, captions and alternative texts of figures too."""
    text = page.read_text()
    told = re.sub(r"<(script|style|svg)\b.*?</\1>", " ", text, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", " ", told)) + " ".join(re.findall(r'(?:alt|aria-label)="([^"]*)"', text))


@pytest.mark.parametrize("command", [("report",), ("assess", "--budget", "60s", "--no-advise")])
def test_all_days_and_hours_of_a_page_are_those_of_the_zone(incrowd, day, tmp_path, command):
    page = tmp_path / "page.html"
    code, out, err = incrowd(*command, day, "-o", page, "--time-zone", ZONE)
    assert code == 0, err
    told = words(page)
    assert f"over 1 day (2024-01-02 to 2024-01-02, {ZONE})" in told
    assert f"from Monday 00:00, {ZONE}" in told and f"highest on Tue at 00:00, {ZONE}" in told
    assert "UTC" not in told + out and not re.search(r"(?<!#)\b[02-9] days", told)
    if command[0] == "assess":
        assert "144 visits, 1 day;" in out and "144 visits, 1 day;" in told
        assert "night and office hours are those of Europe/Amsterdam" in told


def test_without_a_zone_a_page_says_utc(incrowd, day, tmp_path):
    page = tmp_path / "page.html"
    assert incrowd("assess", day, "-o", page, "--budget", "60s", "--no-advise")[0] == 0
    told = words(page)
    assert "over 2 days (2024-01-01 to 2024-01-02, UTC)" in told and "144 visits, 2 days;" in told


def test_inspect_says_days_rhythm_strays_and_duplicates(incrowd, day):
    with day.open("a") as file:
        file.write(f"0,{FIRST + 60},0,0\n0,{FIRST},5.0,52.0\n")
    code, out, err = incrowd("inspect", day, "--time-zone", ZONE)
    assert code == 0, err
    for line in (
        f"days                1 (time zone: {ZONE})",
        "first day           2024-01-02",
        "last day            2024-01-02",
        "busiest hour        Tuesday 00:00 (5.5 % of records)",
        "time of day         0 to 6 h 26 %, 6 to 12 h 25 %, 12 to 18 h 25 %, 18 to 24 h 25 %",
        "at (0, 0)           1 (records without a place)",
        "exact duplicates    1 (records with the user, time and place of another)",
    ):
        assert line in out
    found = json.loads(incrowd("inspect", day, "--time-zone", ZONE, "--json")[1])["summary"]
    assert (found["first_day"], found["time_zone"], found["days"]) == ("2024-01-02", ZONE, 1)
    assert (found["at_zero_records"], found["outside_records"], found["duplicate_records"]) == (1, 0, 1)


def test_inspect_of_few_people_shows_no_dates(incrowd, day):
    code, out, _ = incrowd("inspect", day, "--min-people", 7)
    assert (
        code == 0 and "2024" not in out and "not shown, because fewer than 7 people have records on any one day" in out
    )


@pytest.mark.parametrize("into", ["grid", "fingerprints"])
def test_what_was_saved_keeps_its_own_zone(incrowd, day, tmp_path, into):
    saved = tmp_path / "saved.parquet"
    assert incrowd("discretize", day, "-o", saved, "--into", into, "--time-zone", ZONE)[0] == 0
    page = ("-o", tmp_path / "page.html")
    assert incrowd("report", saved, *page, "--time-zone", ZONE)[0] == 0
    code, _, err = incrowd("report", saved, *page, "--force", "--time-zone", "Asia/Tokyo")
    assert code == 2 and f"follows the clock of {ZONE} already; leave --time-zone out" in err


def test_a_paper_counts_days_of_the_zone(day):
    traces = ic.read.table(day)
    found = {zone: ic.papers.reproduce("tan2017", traces, quick=True, time_zone=zone) for zone in (None, ZONE)}
    days = {zone: one.figures[0].answer.rpartition("over ")[2] for zone, one in found.items()}
    assert days == {None: "2 days.", ZONE: "1 day."}
    assert f"Days are those of {ZONE}." in [figure.convention for figure in found[ZONE].figures]
