"""The kinds of data a synthetic city can give: a dozen numbers each."""

from dataclasses import dataclass, replace
from typing import Literal

ProfileName = Literal["operator", "operator-calm", "application", "application-calm", "cdr", "taxi"]


@dataclass(frozen=True)
class Profile:
    """How people of one kind of dataset live, and how their records come about."""

    days: int  # the length such a dataset usually has
    records_a_day: float  # mean per user
    uneven: float = 0.0  # sigma of the lognormal that makes some users more talkative than others
    burst: float = 1.0  # shape of the gamma rate of a half hour: the smaller, the longer the silences
    day_rate: float = 1.0  # activity in the evening relative to that before dawn
    workers: float = 0.0  # share of users with a place to work
    outings: float = 0.0  # chance to go out within half an hour of free time
    handover: float = 0.0  # share of records that a neighbouring tower serves
    night_handover: float = 0.0  # the same at home by night
    away: float = 0.004  # chance per day to set out for a far place and sleep there
    commute_m: float = 4_000.0  # scale of the distance from home to work
    leisure_m: float = 1_500.0  # scale of the distance to other places
    spacing_m: float = 700.0  # between towers: more towers make a larger city
    cities: int = 1  # of Zipf sizes
    country_m: tuple[float, float] = (0.0, 0.0)  # the box the cities lie in
    taxi: bool = False  # vehicles with GPS instead of people with phones


_OPERATOR = Profile(
    days=7,
    records_a_day=38,  # 261 a week [xu2017, Table 2]
    uneven=0.4,
    burst=4.0,
    day_rate=2.5,
    workers=0.85,
    outings=0.13,
    handover=0.45,
    night_handover=0.08,
    commute_m=5_000.0,
    leisure_m=1_200.0,
)
_APPLICATION = Profile(
    days=14,
    records_a_day=36,  # 496 in two weeks [xu2017, Table 2]
    uneven=0.6,
    burst=1.0,
    day_rate=12.0,
    workers=0.6,
    outings=0.01,
    handover=0.02,
    night_handover=0.01,
    commute_m=2_500.0,
    leisure_m=700.0,
)

# The calm variants hardly move: people work next door, if at all, and seldom go out. Recovery from counts reaches high
# accuracies only on such data; they are calmer than what [xu2017, Sec. 3.2 and 4.3] describes.
_NEXT_DOOR_M = 500.0

PROFILES: dict[str, Profile] = {
    "operator": _OPERATOR,
    "operator-calm": replace(
        _OPERATOR,
        outings=0.003,
        handover=0.05,
        night_handover=0.035,
        away=0.001,
        commute_m=_NEXT_DOOR_M,
        leisure_m=_NEXT_DOOR_M,
    ),
    "application": _APPLICATION,
    "application-calm": replace(
        _APPLICATION,
        workers=0.12,
        outings=0.003,
        handover=0.01,
        night_handover=0.005,
        away=0.001,
        commute_m=_NEXT_DOOR_M,
    ),
    "cdr": Profile(
        days=14,
        records_a_day=16,  # 17.8 million of 82,000 users in two weeks, by [gramaglia2015, Table 2]
        uneven=0.75,
        burst=0.15,
        day_rate=10.0,
        workers=0.6,
        outings=0.06,
        handover=0.15,
        night_handover=0.10,
        away=0.01,
        spacing_m=1_500.0,
        cities=12,
        country_m=(600_000.0, 400_000.0),
    ),
    "taxi": Profile(days=7, records_a_day=830, taxi=True),  # one a minute for about fourteen hours
}
