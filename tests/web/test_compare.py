"""What the step Compare says of a run, and that runs without an answer are rows too."""

from incrowd.show import Section
from incrowd.web.compare import _what_is_left


def test_what_is_left_is_people_and_how_fine_the_data_still_are():
    answer = "9 boxes are published. 50.0 % (1 of 2 people) are in the release. Half of the boxes are 5 m wide."
    section = Section("What?", f"{answer}\nGuarantee: k-anonymity. Of all.", data={"people": 1, "people_before": 2})
    assert _what_is_left(section) == "1 of 2 people. Half of the boxes are 5 m wide."
    assert _what_is_left(Section("What?", "4 counts are published. No time is finer than 60 min.", data={})) == (
        "No time is finer than 60 min."
    )


def test_runs_that_stopped_or_work_are_shown(ready):
    store = ready.studio.store
    stopped, working = (store.add_job(store.dataset().id, "run", title, [["a"]]) for title in ("LKC", "GLOVE"))
    store.move(stopped, "failed", expected="waiting", message="memory ran out.")
    words = ready.get("/compare").words
    assert "LKC No answer - stopped: memory ran out." in words
    assert "GLOVE Waiting: it starts when a place is free" in words
    assert f'hx-get="/jobs/{working}?page=compare"' in ready.get("/compare").text
