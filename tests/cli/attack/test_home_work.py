"""incrowd attack home-work."""

import json


def test_home_work(incrowd, city, trips):
    code, out, _ = incrowd(
        "attack", "home-work", city, "--night-h", 22, 6, "--work-h", 10, 16, "--min-visits", 2, "--json"
    )
    told = json.loads(out)
    assert code == 0 and told["night_h"] == [22, 6] and told["work_h"] == [10, 16] and told["min_visits"] == 2
    assert not {"home", "work", "home_crowd"} & told.keys()
    code, out, _ = incrowd("attack", "home-work", trips, "--time-zone", "Europe/Amsterdam")
    assert code == 0 and "of 4 people" in out and "in Python: ic.attack.home_work" in out
