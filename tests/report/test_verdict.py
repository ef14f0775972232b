"""The first screen of an assessment cannot look better than its verdict, whatever the numbers, names and settings."""

from dataclasses import replace
from fractions import Fraction

import pytest

import incrowd as ic
from browser import COLLISIONS, OUTSIDE
from incrowd.assess.assessment import Assessment
from incrowd.assess.digests import JudgedFile
from incrowd.assess.head import AssessmentHead
from incrowd.assess.limits import DEFAULTS
from incrowd.assess.question import Answer, Number
from incrowd.assess.side_by_side import SideBySide
from incrowd.data import Counts, Groups, Release
from incrowd.ledger import Ledger
from incrowd.report.sides import sides_of
from incrowd.report.verdict import verdict_of
from incrowd.show import Section

HOSTILE = "a b\"'><script>alert(1)</script>;$(rm -rf ~).csv"


def number(value, interval=None, cap=None, name="lookup"):
    return Number(limit=name, what="right guesses", value=value, interval=interval, cap=cap, limited=DEFAULTS[name])


def answer(one=None, name="lookup", verdict=None, **more):
    judged = () if one is None else (one,)
    about = {"about": "singling out", "asks": f"Is this {name}?", "attacker": "The attacker looks", "who": True}
    verdict = verdict or one.verdict
    printed = "-" if one is None else f"{one.in_print(one.value)} ({more.pop('people', '5 of 100 people')})"
    return Answer(name=name, verdict=verdict, judged=judged, number=printed, **about | more)


def assessment(*answers, head=None, **more):
    about = {"people": 100, "records": 400, "visits": 400, "cells": 9, "days": 2, "places": "cells of 500 m"}
    about |= {"slot_min": 60, "budget_s": 90.0, "took_s": 1.0, "seed": 0, "seed_given": False, "interrupted": False}
    about |= {"judges": "release", "override": None, "shopping": (), "remark": "", "loss": "", "ledger": Ledger()}
    return Assessment(**about | {"estimates": (), "answers": answers, "head": head} | more)


def head(**more):
    named = {"data": HOSTILE, "release": "rel x/a.parquet"}
    files = tuple(JudgedFile(role=role, name=name, sha256="0" * 64, files=2) for role, name in named.items())
    about = {"made": "2026-01-02T00:00:00", "files": files, "period": None, "command": "incrowd assess a --budget 90s"}
    about |= {"versions": {}, "machine": "", "level": "standard", "limits": DEFAULTS, "published": {}}
    return AssessmentHead(**about | more)


GOOD, BAD = answer(number(Fraction(1, 20))), answer(number(Fraction(1, 2)))
MISSING = answer(name="later", verdict="no answer", note="who is who is not known; pass the link (--link)")
LATE = answer(name="pieces", verdict="not run", note="would take 1 h")


@pytest.mark.parametrize(
    ("found", "tone"),
    [
        (assessment(GOOD), "ok"),
        (assessment(GOOD, BAD), "bad"),
        (assessment(GOOD, MISSING), "gap"),
        (assessment(GOOD, LATE), "gap"),
        (assessment(), "gap"),  # nothing was asked
        (assessment(answer(number(Fraction(0), name="guarantees"), "guarantees", who=False)), "gap"),
        (assessment(GOOD, shopping=("the limit is 90 %",)), "bad"),
        (assessment(GOOD, shopping=("the limit is 90 %",), override="the board. It wants it"), "gap"),
    ],
)
def test_only_what_passes_without_an_override_looks_like_passing(found, tone):
    top = verdict_of(found)
    assert top.tone == tone and (tone == "ok") == (found.exit_code == 0)
    assert all(card.tone != "ok" for card in top.decide) or found.passed or not (found.above or found.open)
    assert bool(top.override) == bool(found.override)
    assert top.headline == f"{found.verdict.partition('. ')[0].rstrip('.')}."


def test_an_upper_end_above_the_limit_is_drawn_beyond_it_and_said():
    found = assessment(answer(number(Fraction(8, 100), (0.05, 0.12))))
    card = verdict_of(found).decide[0]
    assert card.tone == "bad" and card.deciding.bar.tone == "bad"
    assert card.deciding.bar.judged == 12.0 > card.deciding.bar.limit > card.deciding.bar.value
    assert card.deciding.end == "The upper end, 12.0 %, is above the limit."
    assert "judged at 12.0 %" in card.deciding.bar.words and card.deciding.bar.words.endswith("above")


def test_an_interval_that_is_cut_off_says_why():
    card = verdict_of(assessment(answer(number(Fraction(5, 100), (0.01, 0.2), cap=Fraction(1, 11))))).decide[0]
    assert card.tone == "ok" and card.deciding.bar.judged == pytest.approx(9.09)
    assert card.deciding.end == "Compared with the limit: 9.1 %, because no attacker can do better."


def test_an_interval_that_reaches_beyond_the_limit_is_never_left_unexplained():
    """The number is itself the most that any attacker can do: its interval must not look overlooked."""
    found = assessment(answer(number(Fraction(1, 30), (0.006, 0.167), cap=Fraction(1, 30))))
    card = verdict_of(found).decide[0]
    assert found.passed and card.deciding.bar.judged == card.deciding.bar.value
    assert card.deciding.end == "Compared with the limit: 3.3 %, because no attacker can do better."


def test_few_people_are_not_sent_to_look_for_a_release():
    few = assessment(BAD, remark="no release of so few people can pass: 8 people, and a limit of 1 in 11")
    assert [step.command for step in verdict_of(few).steps] == [""] and "so few people" in verdict_of(few).steps[0].what


def test_settings_without_a_reason_are_one_step():
    steps = verdict_of(assessment(GOOD, shopping=("the limit of lookup is none", "cell_m was set"))).steps
    assert [step.what for step in steps] == ["Give the reason for 2 settings, or leave them out."]


def test_few_people_are_said_on_the_card():
    few = answer(
        number(Fraction(1, 29)), concerned=29, note="29 people are too few for a rate; right guess 3.4 %, within"
    )
    facts = dict(verdict_of(assessment(few)).groups[0].cards[0].facts)
    assert facts["Few people"].startswith("29 people are too few for a rate")


def test_tests_that_do_not_fit_the_first_screen_are_counted():
    names = ("lookup", "identified", "single_visit", "columns", "later", "home_work")
    found = assessment(*(answer(number(Fraction(1, 2)), name) for name in names), MISSING)
    top = verdict_of(found)
    assert len(top.decide) == 5 and top.more == "More tests: 1 above, 1 without an answer."


def test_the_number_nearest_to_its_limit_is_seen_first_where_all_are_within():
    audit = answer(number(Fraction(0), name="guarantees"), "guarantees", who=False)
    names = ("lookup", "identified", "single_visit", "columns", "later")
    far = [answer(number(Fraction(place, 100)), name) for place, name in enumerate(names)]
    shown = verdict_of(assessment(audit, *far, answer(number(Fraction(9, 100)), "home_work"))).decide
    assert [card.answer.name for card in shown] == ["home_work", *names[:0:-1]]


def test_a_count_does_not_outweigh_every_share():
    found = assessment(answer(number(Fraction(3), name="smallest_count"), "smallest_count"), answer(number(0.95)))
    assert [card.answer.name for card in verdict_of(found).decide] == ["lookup", "smallest_count"]
    assert "Worst: Is this lookup?" in found.verdict


def test_what_is_missing_comes_with_its_command():
    late, missing = verdict_of(assessment(LATE, MISSING, head=head())).steps
    assert late.command == "incrowd assess a --budget 6m" and "1 test that was not run" in late.what
    assert missing.command == "incrowd assess a --budget 90s --link link.csv"


def test_commands_to_copy_quote_hostile_names():
    again = verdict_of(assessment(BAD, head=head(command=""))).steps[-1].command
    audited = verdict_of(assessment(GOOD, head=head())).steps[-1].command
    quoted = "'a b\"'\"'\"'><script>alert(1)<'"  # the name ends at its slash, as that of a folder does
    assert again == f"incrowd assess {quoted} --release 'rel x' --advise"
    assert audited == f"incrowd audit 'rel x' --original {quoted}"


def test_commands_to_copy_name_files_as_they_were_typed_and_may_replace_what_they_wrote():
    files = [JudgedFile(role="data", name="trips.csv", sha256="", files=1)]
    files += [JudgedFile(role="release", name=f"my release/{name}", sha256="", files=1) for name in ("a", "b")]
    files.append(JudgedFile(role="link", name="link.csv", sha256="", files=1))
    typed = "incrowd assess ~/in/trips.csv --release 'out/my release' --link in/link.csv --no-advise -o page.html"
    about = head(files=tuple(files), command=typed)
    good, bad = (verdict_of(assessment(one, head=about)).steps for one in (GOOD, BAD))
    assert good[-1].command == "incrowd audit 'out/my release' --original ~/in/trips.csv --link in/link.csv"
    assert "Keep the link file apart" in good[0].why
    assert bad[-1].command == typed.replace(" --no-advise", "") + " --advise --force"


def test_a_gate_or_a_broken_command_line_is_not_extended():
    for command in ("incrowd gate incrowd.toml", "incrowd assess 'a"):
        step = verdict_of(assessment(GOOD, head=head(command=command))).steps[-1]
        assert step.command.startswith("incrowd audit 'rel x'")
    late = verdict_of(assessment(LATE, head=head(command="incrowd gate"))).steps[0].command
    assert late.startswith("incrowd assess '") and late.endswith("--release 'rel x' --budget 6m")


def test_counts_that_fail_are_sent_to_what_changes_counts():
    step = verdict_of(assessment(BAD, head=head(published={"noun": "Counts"}, command=""))).steps[-1]
    assert step.command.startswith("incrowd attack recover") and step.command.endswith("--sweep")


def test_an_override_is_judged_before_anything_is_signed():
    first, second, *_ = verdict_of(assessment(GOOD, shopping=("the limit is 90 %",), override="The board")).steps
    assert "override" in first.what and "the limit is 90 %" in first.why and "The board" in first.why
    assert "sign" in second.what


def test_every_interval_that_is_judged_is_on_the_card_in_words():
    main, worst = number(Fraction(1, 50), (0.01, 0.04)), number(Fraction(0), (0.0, 0.008), name="worst")
    card = verdict_of(assessment(replace(answer(main), judged=(main, worst)))).groups[0].cards[0]
    assert [one.spread for one in card.numbers] == ["95 % interval 1.0 % to 4.0 %", "95 % interval 0.0 % to 0.8 %"]


def test_hostile_names_are_text_on_the_page(tmp_path):
    bad = replace(BAD, asks=HOSTILE, attacker=HOSTILE, note=HOSTILE)
    found = assessment(
        bad, replace(MISSING, note=HOSTILE), override=HOSTILE, shopping=(HOSTILE,), head=head(command=HOSTILE)
    )
    page = ic.report.write(tmp_path / "page.html", found, title=HOSTILE).read_text(encoding="utf-8")
    assert "<script" not in page and page.count("&lt;script&gt;") > 9


def test_very_many_people_and_areas_under_a_curve_are_printed_short():
    many = answer(number(Fraction(1, 2)), people="123,456,789 of 1,234,567,890 people")
    area = answer(number(0.501, (0.48, 0.52), name="membership"), "membership", people="of 495 people asked about")
    top = verdict_of(assessment(many, area))
    first, second = top.groups[0].cards
    assert first.numbers[0].note == "123,456,789 of 1,234,567,890 people"
    assert second.numbers[0].value == "0.501" and dict(second.facts)["People"] == "495 people asked about"
    assert second.numbers[0].note == "495 people asked about; 0.480 to 0.520"
    assert (second.numbers[0].bar.limit, second.numbers[0].bar.value) == (20.0, 0.2)


def test_steps_of_a_release_end_with_pseudonyms():
    ledger = Ledger().add("read", read=9, kept=9, users=(3, 3)).add("still_users", read=9, kept=9, users=(3, 3))
    ledger = ledger.add("cut", read=9, kept=9, users=(3, 7))
    stages = verdict_of(assessment(GOOD, ledger=ledger, head=head(published={"noun": "Visits"}))).stages
    assert [(stage.name, stage.people) for stage in stages] == [
        ("Read", "3 people"),
        ("Still users", ""),
        ("Cut", "7 pseudonyms"),
    ]
    stages = verdict_of(assessment(GOOD, ledger=ledger, judges="data")).stages
    assert [stage.people for stage in stages] == ["3 people", "3 people", "7 people"]


def side_by_side(**found):
    empty = Release(Counts.from_arrays([[12]], [[0, 0]]), Groups.nobody())
    return SideBySide(question="Which?", assessments=found, releases=dict.fromkeys(found, empty), about={})


def test_releases_side_by_side_explain_an_interval_beyond_the_limit(tmp_path):
    capped = assessment(answer(number(Fraction(3, 100), (0.01, 0.107), cap=Fraction(1, 11))))
    page = ic.report.write(tmp_path / "page.html", side_by_side(a=capped)).read_text(encoding="utf-8")
    assert "1.0 % to 10.7 %" in page.replace("\N{NO-BREAK SPACE}", " ") and "because no attacker can do better" in page


def test_a_release_that_passes_by_an_override_does_not_look_like_one_that_passes():
    screen = sides_of(side_by_side(a=assessment(GOOD), b=assessment(GOOD, shopping=("x",), override="y")))
    assert [side.chip for side in screen.releases] == ["Passes", "Passes with an override"]
    assert screen.headline == "Of 2 releases of the same people, a and b pass (b by an override); none do not."


def test_the_first_of_several_assessments_does_not_speak_for_the_others(tmp_path):
    page = ic.report.write(tmp_path / "page.html", assessment(GOOD), assessment(GOOD, BAD)).read_text()
    assert "<h1>Nothing above" not in page and "<p>Do not publish" in page and "<p>Nothing above" in page


def test_what_stands_beside_an_assessment_without_a_head_is_on_the_page(tmp_path):
    page = ic.report.write(tmp_path / "page.html", assessment(GOOD), Section("Why?", "Because.")).read_text()
    assert "Because." in page


def test_a_shut_gate_always_says_what_to_do():
    unsaid = replace(MISSING, note="")
    shut = (assessment(), assessment(BAD), assessment(GOOD, LATE), assessment(GOOD, unsaid))
    assert all(verdict_of(found).steps for found in shut)
    assert verdict_of(shut[-1]).steps[0].what == "Answer: Is this later?"


def test_a_page_without_a_judged_number_says_so(tmp_path):
    page = ic.report.write(tmp_path / "page.html", assessment()).read_text(encoding="utf-8")
    assert "No number was compared with a limit." in page and "95 % interval; the dot" not in page


def test_a_card_shows_the_number_that_is_above_not_one_that_is_within(tmp_path):
    worst = number(Fraction(2, 100), name="worst")
    both = replace(GOOD, judged=(GOOD.main, worst), verdict="above")
    page = ic.report.write(tmp_path / "page.html", assessment(both)).read_text(encoding="utf-8")
    card = page.split('<article class="card">')[1]
    assert card.index("Above the limit") < card.index("<b>2.0 %</b>") < card.index("</div>")


@pytest.mark.web
@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, True)])
def test_an_extreme_page_fits_and_prints(tab, tmp_path, width, dark):
    """Hostile names, very many people, an area, a count, a limit far to the right, an override, everything missing."""
    many = answer(number(Fraction(1, 2)), people="123,456,789.5 of 1,234,567,890 published trajectories")
    loose = replace(many.main, limited=replace(DEFAULTS["lookup"], value=Fraction(9, 10)), interval=(0.4, 0.6))
    area = answer(number(0.501, (0.48, 0.52), name="membership"), "membership", people="of 495 people asked about")
    count = answer(number(Fraction(3), name="smallest_count"), "smallest_count", people="people behind 12 counts")
    other = replace(many, judged=(loose,), asks=HOSTILE * 2, note=HOSTILE)
    found = assessment(
        many, area, count, other, MISSING, LATE, override=HOSTILE, shopping=(HOSTILE,), head=head(command=HOSTILE * 3)
    )
    tab.open(ic.report.write(tmp_path / "page.html", *found.sections(), title=HOSTILE), width, dark=dark)
    tab.picture(f"extreme-{width}{'-dark' if dark else ''}")
    assert tab.violations() == [] and tab.ask(OUTSIDE) == [] and tab.ask(COLLISIONS) == []
    assert tab.complaints == []
    sheets = tab.paper("extreme")
    assert len(sheets) <= 4 and tab.stranded(sheets) == []
