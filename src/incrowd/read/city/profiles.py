"""The kinds of data a synthetic city can give: a dozen numbers each."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Profile:
    """How people of one kind of dataset live, and how their records come about."""

    days: int  # the length such a dataset usually has
    records_a_day: float  # mean per user
    uneven: float  # sigma of the lognormal that makes users more or less talkative
    burst: float  # shape of the gamma rate of a half hour: the smaller, the longer the silences
    day_rate: float  # activity at noon relative to that before dawn
    workers: float  # share of users with a place to work
    outings: float  # chance to go somewhere within half an hour of free time
    handover: float  # share of records that a neighbouring tower serves
    home_handover: float  # the same at home, which is what the nights look like
    away: float = 0.004  # chance per day to leave for the far place, and to sleep there
    commute_m: float = 4_000.0  # scale of the distance from home to work
    leisure_m: float = 1_500.0  # scale of the distance to other places
    spacing_m: float = 700.0  # between towers, so that more towers make a larger city
    cities: int = 1  # Zipf sizes
    country_m: tuple[float, float] = (0.0, 0.0)  # the box the cities lie in
    taxi: bool = False  # vehicles with GPS instead of people with phones


_OPERATOR = Profile(
    days=7,
    records_a_day=37,  # 261 a week [xu2017, Table 2]
    uneven=0.5,
    burst=2.0,
    day_rate=6.0,
    workers=0.6,
    outings=0.10,
    handover=0.25,
    home_handover=0.10,
)
_APPLICATION = Profile(
    days=14,
    records_a_day=35,  # 496 in two weeks [xu2017, Table 2]
    uneven=0.6,
    burst=0.8,
    day_rate=8.0,
    workers=0.4,
    outings=0.03,
    handover=0.03,
    home_handover=0.03,
)

PROFILES: dict[str, Profile] = {
    "operator": _OPERATOR,
    "operator-calm": replace(_OPERATOR, workers=0.05, outings=0.005, handover=0.06, home_handover=0.03),
    "application": _APPLICATION,
    "application-calm": replace(_APPLICATION, workers=0.02, outings=0.002, handover=0.01, home_handover=0.01),
    "cdr": Profile(
        days=14,
        records_a_day=15,  # about 210 in two weeks, as in [gramaglia2015, Sec. 3]
        uneven=0.75,
        burst=0.15,
        day_rate=10.0,
        workers=0.6,
        outings=0.06,
        handover=0.15,
        home_handover=0.10,
        away=0.02,
        spacing_m=1_500.0,
        cities=12,
        country_m=(600_000.0, 400_000.0),
    ),
    "taxi": Profile(
        days=7,
        records_a_day=860,
        uneven=0.0,
        burst=1.0,
        day_rate=1.0,
        workers=0.0,
        outings=0.0,
        handover=0.0,
        home_handover=0.0,
        taxi=True,
    ),
}
