"""incrowd attack recover --sweep: its options, checked before any attack, and its answer in words."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from incrowd.cli.counting import Counting
from incrowd.cli.inputs import saved_noun
from incrowd.cli.reading import ReadingOptions, one_or_many
from incrowd.cli.screen import foretelling
from incrowd.data import Visits
from incrowd.errors import ParameterError
from incrowd.measure.regularity import NIGHT_MIN

if TYPE_CHECKING:
    from incrowd.assess import Mitigations
    from incrowd.read.small_table import Texts

LONGER_MIN = (90, 180)  # [xu2017, Sec. 5.3]


def refuse_unswept(**given: Any) -> None:
    """Options of a sweep that was not asked for would be ignored."""
    named = next((name for name, value in given.items() if value), None)
    if named is not None:
        raise ParameterError(f"--{named.replace('_', '-')} is about mitigations; pass --sweep too, or leave it out.")


class RecoverySweep(NamedTuple):
    """What a sweep is about, checked before any work."""

    people: list[str]  # their files
    widths: list[int] | None  # of longer slots; None for those of the paper that fit
    strengths: dict[str, list[float]] | None
    regions: "Texts | None"


def recovery_sweep(
    people: list[str] | None,
    reading: ReadingOptions,
    target: float,
    longer_min: str | None,
    strengths: list[str],
    regions: Path | None,
) -> RecoverySweep:
    """What was typed, as a sweep needs it."""
    from incrowd import read

    if not 0 < target <= 1:
        raise ParameterError(f"--target must be in (0, 1], got {target}.")
    if people is None:
        raise ParameterError("a sweep needs the people behind the counts; give trajectories, or --truth VISITS.")
    widths = None if longer_min is None else _widths(longer_min)
    noun = saved_noun(one_or_many(people), reading)
    if noun not in (None, "Traces"):
        if widths:
            raise ParameterError(f"--longer-min counts the records anew and needs trajectories, not {noun}.")
        widths = []
    return RecoverySweep(people, widths, _strengths(strengths), None if regions is None else read.regions(regions))


def _widths(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",") if text.strip()]
    if not all(part.isascii() and part.isdigit() and int(part) and NIGHT_MIN % int(part) == 0 for part in parts):
        raise ParameterError("--longer-min takes minutes that divide 6 hours, such as 90,180.")
    return sorted({int(part) for part in parts})


def _strengths(texts: list[str]) -> dict[str, list[float]] | None:
    from incrowd.assess._mitigations import check_strengths

    try:
        split = [text.partition("=") for text in texts]
        strengths = {name.strip(): [float(one) for one in values.split(",")] for name, _, values in split}
    except ValueError:
        raise ParameterError("--strengths takes NAME=VALUES, such as suppress=5,10.") from None
    check_strengths(strengths)
    return strengths or None


def in_longer(sweep: RecoverySweep, reading: ReadingOptions, visits: Visits, where: Counting) -> dict[int, Visits]:
    """The same records in longer slots; they and the regions are checked before the attack."""
    from incrowd.assess._mitigations import check_ways
    from incrowd.discretize._counts import in_longer_slots

    base = visits.slot_min or 1
    odd = [w for w in sweep.widths or LONGER_MIN if w <= base or w % base]
    if odd and sweep.widths:
        raise ParameterError(f"--longer-min takes multiples of the slots of {base} min that are counted.")
    check_ways(visits, sweep.regions, None)
    wanted = [w for w in LONGER_MIN if w not in odd] if sweep.widths is None else sweep.widths
    towers, made = where.places, {}
    for width in wanted:
        with _set_aside(reading) as again:
            how = {**vars(where), **again.arguments(), "towers": towers, "slot_min": width}
            made[width] = in_longer_slots(one_or_many(sweep.people), visits, **how)
    check_ways(visits, None, made)
    return made


@contextmanager
def _set_aside(reading: ReadingOptions) -> Iterator[ReadingOptions]:
    """The same way of reading once more; bad rows were listed the first time."""
    with TemporaryDirectory() as folder:
        yield reading if reading.bad_rows is None else replace(reading, bad_rows=Path(folder) / "again.csv")


def swept(visits: Visits, sweep: RecoverySweep, longer: dict[int, Visits], **how: Any) -> "Mitigations":
    """Attack the counts of these visits after every mitigation asked for."""
    from incrowd import assess
    from incrowd.assess._mitigations import ATTACKING

    if sweep.strengths is not None:
        how["strengths"] = sweep.strengths
    with foretelling(ATTACKING, "attack"):
        return assess.mitigations(visits, regions=sweep.regions, resampled=longer, **how)
