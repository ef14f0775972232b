"""What [xu2017] prints, for its operator and its application dataset, and why these data may say otherwise."""

from typing import NamedTuple

from incrowd.papers.record import OTHER, Statement, apart, share
from incrowd.papers.xu2017.data import Scene
from incrowd.plain import percent

KINDS = ("operator", "application")
PEOPLE = {"operator": 100_000, "application": 15_500}  # [xu2017, Table 2]
DAYS = {"operator": 7, "application": 14}
RECORDS = {"operator": 261, "application": 496}  # per user
LIMIT_M = {"operator": 1000, "application": 500}  # of the errors in [xu2017, Fig. 6]
CALM = "these made-up people move less than the paper's, on purpose"
CHOSEN = "this city was picked because the attack succeeds on it, so its accuracy confirms nothing"
FIXED = "made-up people: the city was set to Figures 2 to 6 together and does not meet each of them"
TOGETHER = (
    "made-up people who move about as the text says are recovered no better, only those who move less are (last panel "
    "of Figure 8)"
)
CITIES_SAID = (
    "The cities operator and application were set to what the text says of people (Figures 2 to 6). The calm ones move "
    "less, because the attack succeeds only then: that it does so on them is by construction."
)


class Printed(NamedTuple):
    """A share as printed for the two datasets; None where the text has none for the application."""

    operator: float
    application: float | None

    def known(self) -> list[tuple[str, float]]:
        """By dataset, as far as there are numbers."""
        return [(kind, value) for kind, value in zip(KINDS, self, strict=True) if value is not None]

    def beside(self, kind: str | None) -> tuple[float, float] | None:
        """The number of the dataset a city stands for; the range of both for other data."""
        values = [value for of, value in self.known() if kind in (None, of)]
        return (min(values), max(values)) if values else None


TOP_1, TOP_5 = Printed(0.36, 0.76), Printed(0.83, None)  # Fig. 2
UNIQUE_3, UNIQUE_5 = Printed(0.67, None), 0.95  # Fig. 3, originals
ONE_TOWER, NIGHT_TOP = Printed(0.62, 0.88), Printed(0.89, 0.95)  # Figs. 4 and 5
WITHIN = Printed(0.74, 0.93)  # Fig. 6, of the limits above
NIGHT, WHOLE = Printed(0.95, 0.98), Printed(0.73, 0.91)  # Fig. 8a
FAR, BETWEEN = Printed(0.21, 0.08), Printed(0.06, 0.01)  # Fig. 8b
UNIQUE_2 = 0.95  # Fig. 8c, recovered
DISTRICT_WHOLE, DISTRICT_2 = Printed(0.89, None), Printed(0.62, None)  # Fig. 9
STATIONS, STATIONS_TO_DISTRICT = 8000, 100  # Secs. 3.1 and 5.3
SLOW_WHOLE, SLOW_2 = Printed(0.82, None), Printed(0.98, None)  # Fig. 10, 180 min
SMALL, LARGE = (1000, 0.99), (100_000, 0.5)  # Fig. 11, users and accuracy
STABLE_2 = 0.85  # Fig. 11b


def people(scene: Scene, where: str, what: str, printed: Printed, ours: float, why: str = "") -> list[Statement]:
    """A statistic of the people themselves."""
    theirs = printed.beside(scene.kind)
    if theirs is None:
        return []
    reason = why or (OTHER if scene.kind is None else CALM if scene.calm else FIXED)
    return [share(where, named(scene, what), theirs, ours, reason)]


def attacked(
    scene: Scene, where: str, what: str, printed: Printed, ours: float, *, good: bool = True, why: str = ""
) -> list[Statement]:
    """A result of the attack, good or bad for it; a city that was picked by the attack is shown and not judged."""
    theirs = printed.beside(scene.kind)
    if theirs is None:
        return []
    if scene.calm:
        text = " to ".join(percent(value, 0) for value in sorted(set(theirs)))
        return [apart(where, named(scene, what), text, CHOSEN, ours=percent(ours, 0))]
    less = ours < theirs[0] if good else ours > theirs[1]
    return [share(where, named(scene, what), theirs, ours, why or _why(scene, less))]


def _why(scene: Scene, less: bool) -> str:
    if scene.kind is None:
        return OTHER
    return TOGETHER if less else few(scene)


def few(scene: Scene) -> str:
    """Why places are shared by fewer people than in the paper."""
    if scene.kind is None:
        return OTHER
    return f"{scene.users:,} people instead of {PEOPLE[scene.kind]:,}: fewer share a place"


def named(scene: Scene, what: str) -> str:
    """With the city it is said of."""
    return what if scene.kind is None else f"{what} ({scene.name})"
