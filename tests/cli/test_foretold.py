"""How long many like parts will take."""

from incrowd.cli.foretold import foretelling
from incrowd.progress import listening, tell, track


def test_the_first_part_tells_how_long_the_others_take(capsys):
    heard = []
    with listening(lambda *said: heard.append(said)), foretelling("attacking", "attack", spent_s=60):
        for _ in track(range(4), "attacking"):
            tell("other work", 1, 9)
    assert capsys.readouterr().err == "3 attacks more, 3 min if each takes as long as the first\n"
    assert ("other work", 1, 9) in heard and heard[-1] == ("attacking", 4, 4)


def test_one_part_needs_no_estimate(capsys):
    with foretelling("attacking", "attack"):
        list(track(range(1), "attacking"))
    assert capsys.readouterr().err == ""
