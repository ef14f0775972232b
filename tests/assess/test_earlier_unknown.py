"""Who is recognised by an earlier release although no link file says so, or although crowds hide everybody alone."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from incrowd import Traces, anonymize, discretize
from incrowd.assess import assess
from incrowd.assess._assess import prepared
from incrowd.assess.attest import attest
from incrowd.assess.earlier_releases import EarlierReleases, earlier_in
from incrowd.assess.options import Options
from incrowd.assess.questions.earlier import EARLIER
from incrowd.errors import DataError
from nights import night, published

PEOPLE = 1_000


def answered(folder: Path, old: Traces, new: Traces, *, link: bool = True, vouched: bool = False):
    """What is found of an earlier release in a new one; no other question is asked."""
    (folder / "links").mkdir()
    (folder / "old").mkdir()
    published(old, folder / "old" / "n0", folder / "links" / "n0.csv")
    made = published(new, folder / "new", folder / "l.csv")
    (one,) = earlier_in(folder / "old", folder / "links" if link else None).releases
    earlier = EarlierReleases(releases=(replace(one, vouched=vouched),))
    options = Options(release=made, link=folder / "l.csv", earlier=earlier, cell_m=1_000, slot_min=60)
    return EARLIER.run(prepared(new, options, {}).data)


def part(traces: Traces, first: float, last: float) -> Traces:
    """Some of the people."""
    kept = (traces.owner >= first * len(traces)) & (traces.owner < last * len(traces))
    return Traces.from_arrays(traces.users[traces.owner[kept]], traces.t[kept], x=traces.x[kept], y=traces.y[kept])


def with_new_labels(share: float, *, habits: bool) -> Traces:
    """A night on which some people come back under new labels, and all others do what they never did."""
    came_back = part(night(1, habits=habits, people=PEOPLE, first=10_000), 0, share)
    others = part(night(1, habits=False, people=PEOPLE), share, 1)
    columns = {name: np.concatenate([getattr(one, name) for one in (came_back, others)]) for name in ("t", "x", "y")}
    return Traces.from_arrays(np.concatenate([one.users[one.owner] for one in (came_back, others)]), **columns)


@pytest.mark.parametrize("habits", [True, False])
def test_a_minority_that_the_link_of_yesterday_does_not_know_is_not_left_out(tmp_path, habits):
    """The link scores the other people, of whom nobody is recognised."""
    old = night(0, habits=habits, people=PEOPLE)
    found = answered(tmp_path, old, with_new_labels(0.45, habits=habits), vouched=True)
    assert (max(float(one.judged) for one in found.judged if one.limit == "earlier") > 1 / 11) == habits
    assert ("does not name everybody" in found.note) == habits


def test_labels_that_went_to_other_people_are_noticed_though_some_are_new(tmp_path):
    """Both doubts about a link file are followed, not the first alone."""
    rng, new = np.random.default_rng(3), night(1, habits=True, people=PEOPLE)
    dealt = np.append(rng.permutation(950), np.arange(20_000, 20_050))
    relabelled = Traces.from_arrays(dealt[new.owner], new.t, x=new.x, y=new.y)
    found = answered(tmp_path, night(0, habits=True, people=PEOPLE), relabelled, vouched=True)
    assert max(float(one.judged) for one in found.judged if one.limit == "earlier") > 0.3


@pytest.mark.parametrize("habits", [True, False])
def test_a_small_release_is_not_hidden_by_all_who_were_there_only_yesterday(tmp_path, habits):
    """The rate is of the people who may be in both, not of everybody who was there before."""
    old, new = (night(day, habits=habits, people=PEOPLE) for day in (0, 1))
    found = answered(tmp_path, old, part(new, 0, 0.2), link=False)
    recognised = next(one for one in found.judged if one.limit == "earlier")
    assert (float(recognised.judged) > 0.3) == habits and (habits or recognised.judged < 1 / 11)


def test_people_who_were_there_only_yesterday_are_nobody_s_risk_today(tmp_path):
    old, new = (night(day, habits=False, people=PEOPLE) for day in (0, 1))
    found = answered(tmp_path, old, part(new, 0, 0.5), vouched=True)
    assert "does not name everybody" not in found.note


def test_a_link_file_is_believed_if_the_assessment_beside_the_release_attests_it(tmp_path):
    """A link that nobody vouches for is scored, and what stands out is judged besides."""
    traces, (old, links) = night(0, habits=False, people=200), (tmp_path / "old", tmp_path / "links")
    old.mkdir()
    links.mkdir()
    made = published(traces, old / "n0", links / "n0.csv")
    how = {"cell_m": 1_000, "slot_min": 60, "advise": False, "link": links / "n0.csv", "release": made}
    assert not earlier_in(old, links).releases[0].vouched
    attest(assess(traces, **how), old / "n0.assessment.json")
    assert earlier_in(old, links).releases[0].vouched
    text = (links / "n0.csv").read_text()
    (links / "n0.csv").write_text(text.replace(text.splitlines()[1], text.splitlines()[2], 1))
    assert not earlier_in(old, links).releases[0].vouched


def neighbours(kind: str, sign: int) -> Traces:
    """Twenty people, each with ten neighbours to the west, or to the east."""
    rng = np.random.default_rng(1)
    rows = [
        (name, hour * 7_200, 20_000.0 * i + shift + 300 * hour + rng.random() * 10, 5.0)
        for i in range(20)
        for name, shift in [(f"x{i}", 0), *((f"{kind}{i}-{j}", sign * (600 + 20 * j)) for j in range(10))]
        for hour in range(6)
    ]
    user, t, x, y = zip(*rows, strict=True)
    return Traces.from_arrays(list(user), list(t), x=list(x), y=list(y))


@pytest.mark.parametrize("other", ["east", "west", "east, link not kept"])
def test_crowds_of_the_same_day_that_share_one_person_do_not_hide_it(tmp_path, other):
    """Each release is safe alone; where the two boxes overlap, that person is alone."""
    (tmp_path / "old").mkdir()
    nights = neighbours("w", -1), neighbours("e", 1) if "east" in other else neighbours("w", -1)
    made = []
    for traces, (folder, link) in zip(nights, [("old/d0", "d0.csv"), ("new", "new.csv")], strict=True):
        prints = discretize.fingerprints(traces)
        release = anonymize.Glove(k=11)(prints)
        made.append(anonymize.publish(release, tmp_path / folder, link=tmp_path / link, original=prints))
    links = None if "not kept" in other else tmp_path
    how = {"release": made[1], "link": tmp_path / "new.csv", "earlier": tmp_path / "old", "earlier_links": links}
    options = Options(**how)
    if links is None:
        with pytest.raises(DataError, match="boxes of the same time"):
            EARLIER.run(prepared(nights[1], options, {}).data)
        return
    found = EARLIER.run(prepared(nights[1], options, {}).data)
    assert found.judged[0].judged == (1 if "east" in other else pytest.approx(1 / 11))
