"""incrowd attack recover."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from incrowd.cli.attack.recover_sweep import in_longer, recovery_sweep, refuse_unswept, swept
from incrowd.cli.counting import Counting, Regions, counted, everywhere, everywhere_in_python, of_truth
from incrowd.cli.inputs import grain_of, in_python, saved_noun, source_in_python
from incrowd.cli.options import Force, Json, Seed, Sources, takes
from incrowd.cli.reading import ReadingOptions, one_or_many, reads
from incrowd.cli.screen import answer, check_page, note, progress_bar, write_page
from incrowd.data import Counts, Visits
from incrowd.errors import DataError, ParameterError, check_whole
from incrowd.plain import percent
from incrowd.read.count_times import SLOT_MIN
from incrowd.show import section_of, text

if TYPE_CHECKING:
    from incrowd.attack import Recovered
    from incrowd.measure import Uniqueness
    from incrowd.read._counts import Cells

TOP = (1, 2, 3)
SlotMin = Annotated[
    int | None, typer.Option(help=r"Width of a time slot. \[default: 30 min; for published counts, by their times]")
]


@reads
@takes(Counting, "given", slot_min=(SlotMin, None))
def recover(
    sources: Sources,
    reading: ReadingOptions,
    given: dict[str, Any],
    is_counts: Annotated[
        bool, typer.Option("--counts", help="The sources are tables of published counts: slot, cell, n.")
    ] = False,
    cells: Annotated[
        Path | None, typer.Option(help="Table of the cells of published counts: cell, x and y (m) or lon and lat.")
    ] = None,
    truth: Annotated[
        Path | None,
        typer.Option(
            help="Visits of the people counted, to score the attack; a table of visits calls cells as the counts do."
        ),
    ] = None,
    users: Annotated[
        int | None, typer.Option(help="How many people were counted, if the counts do not add up.")
    ] = None,
    method: Annotated[
        Literal["exact", "threshold"], typer.Option(help="Optimal links, or near pairs first as in the paper.")
    ] = "exact",
    theta_m: Annotated[float | None, typer.Option(help="Pairs nearer than this go first (threshold).")] = None,
    pairing: Annotated[
        Literal["global", "index", "optimal"], typer.Option(help="How recovered and original people are paired.")
    ] = "global",
    sweep: Annotated[bool, typer.Option("--sweep", help="Attack again after every mitigation.")] = False,
    target: Annotated[float, typer.Option(help="Largest advantage over guessing from another day (--sweep).")] = 0.1,
    regions: Regions = None,
    longer_min: Annotated[
        str | None,
        typer.Option(help=r"Longer slots to try (--sweep), '' for none. \[default: 90,180 min for trajectories]"),
    ] = None,
    strengths: Annotated[
        list[str],
        typer.Option(
            metavar="NAME=VALUES",
            help="Try these strengths only (--sweep), such as noise=0.5,1 or suppress=5,10; also round, move, space, "
            "dp; repeatable.",
        ),
    ] = [],  # noqa: B006
    output: Annotated[Path | None, typer.Option("--output", "-o", help="HTML file for the figures.")] = None,
    recovered: Annotated[
        Path | None,
        typer.Option(help="Write the recovered people: .csv with the cells as published, or .parquet by their number."),
    ] = None,
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Recover trajectories from counts of people per cell and slot, as anybody could who reads them.

    incrowd attack recover calls.csv --towers towers.csv -o recovered.html

    incrowd attack recover calls.csv --towers towers.csv --sweep --target 0.1 -o recovered.html

    incrowd attack recover calls.csv --sweep --strengths suppress=5,10 --strengths noise=1 --longer-min 180

    incrowd attack recover published.csv --counts --cells towers.csv --recovered people.parquet

    incrowd attack recover published.csv --counts --cells stations.csv --truth visits.csv
    """
    from incrowd import attack

    slot_min = given.pop("slot_min")
    where = Counting(**given, slot_min=SLOT_MIN if slot_min is None else slot_min)
    _check_outputs(output, recovered, force=force)
    if not sweep:
        refuse_unswept(strengths=strengths, longer_min=longer_min, regions=regions)
    if slot_min is not None:
        check_whole(slot_min=slot_min)
    table = is_counts or cells is not None
    published = table or saved_noun(one_or_many(sources), reading) == "Counts"
    if published and truth is None:
        _check_unread(reading, table=table)
    people = None if published and truth is None else sources if truth is None else [str(truth)]
    behind = reading if truth is None else of_truth(truth, reading, table=table, published=published)
    wanted = recovery_sweep(people, behind, target, longer_min, strengths, regions) if sweep else None
    if table:
        where.refuse_period("published counts")
    with progress_bar():
        named: Cells | None = None
        if table:
            (counts, named), visits = _published(sources, reading, cells, slot_min), None
        else:
            counts, visits = _counted(sources, reading, where)
        if truth is not None:
            where = replace(where, slot_min=counts.slot_min)
            visits = everywhere([str(truth)], behind, where, cells=named)
        longer = {} if wanted is None or visits is None else in_longer(wanted, behind, visits, where)
        mended = _mended(counts, len(visits) if users is None and visits is not None else users)
        recovery = attack.recover(mended, method=method, theta_m=theta_m, seed=seed)
        unique = _singled_out(recovery) if visits is None else None
        score = None if visits is None else attack.recovery_score(recovery, visits, pairing=pairing)
        tried = None
        if wanted is not None and visits is not None:
            attacker = {"method": method, "theta_m": theta_m, "pairing": pairing, "seed": seed}
            plain = score if truth is None and mended is counts else None
            tried = swept(visits, wanted, longer, target=target, plain=plain, **attacker)
        chance = None if visits is None or tried is not None else _guessed(mended, visits, pairing, seed)
        if recovered is not None:
            _save(recovery, recovered, named, force=force)
        printed = [result for result in (score, recovery, unique, tried) if result is not None]
        beside = _beside(chance, truth_known=visits is not None)
        first = section_of(printed[0])
        first = replace(first, answer=f"{first.answer} {beside}".rstrip())
        write_page(output, first, *printed[1:], title="Recovery of people from published counts", force=force)
    words = [text(section_of(result), tables=result is not recovery) for result in printed]
    words.insert(1, beside)
    record = {
        "recovered": _record(recovery),
        "uniqueness": unique,
        "score": score,
        "chance": chance,
        "mitigations": tried,
    }
    if truth is None and not table and users is None and not as_json:
        made = source_in_python(sources, reading) if visits is None else everywhere_in_python(sources, reading, where)
        how = {"method": method, "theta_m": theta_m, "seed": seed}
        words.append(_python(made, visits, how, pairing, repaired=mended is not counts))
    answer("\n\n".join(filter(None, words)), record, as_json=as_json)


def _python(made: str, visits: Visits | None, how: dict[str, Any], pairing: str, *, repaired: bool) -> str:
    """The grain, and the calls that give the same numbers."""
    from incrowd import attack

    data = made if visits is None else "ic.discretize.counts(visits)"
    call = in_python(attack.recover, f"ic.attack.repair({data})" if repaired else data, **how)
    if not made or visits is None:
        return f"in Python: {call}" if made else grain_of(visits)
    score = in_python(attack.recovery_score, f"{call}, visits", pairing=pairing)
    return f"{grain_of(visits)}; in Python: visits = {made}; {score}"


def _check_outputs(output: Path | None, recovered: Path | None, *, force: bool) -> None:
    from incrowd.data.files import check_table

    check_page(output, force=force)
    if recovered is not None:
        check_table(recovered, force=force)


def _check_unread(reading: ReadingOptions, *, table: bool) -> None:
    """Refuse options that published counts are not read with."""
    reading.refuse("counts are not records", "layout", "time_format", "antennas", "attribute", "bad_rows")
    if not table:
        reading.refuse("counts that incrowd saved describe themselves", "column", "time_zone", "decimal")


def _published(
    sources: list[str], reading: ReadingOptions, cells: Path | None, slot_min: int | None
) -> "tuple[Counts, Cells]":
    from incrowd.read._counts import labelled_counts

    options = reading.arguments()
    how = {name: options[name] for name in ("columns", "time_zone", "decimal", "antenna_at")} | {"slot_min": slot_min}
    counts, named = labelled_counts(one_or_many(sources), cells, **how)
    odd = [f"{rows:,} {what}" for what, rows in counts.ledger.steps[0].notes.items() if rows]
    if odd:
        note(f"read: {', '.join(odd)}")
    return counts, named


def _counted(sources: list[str], reading: ReadingOptions, where: Counting) -> "tuple[Counts, Visits | None]":
    """Trajectories, counted; a table of counts is values from one of records."""
    from incrowd.read.small_table import columns_of

    try:
        return counted(sources, reading, where)
    except DataError:
        try:
            counts = columns_of(one_or_many(sources), None).counted
        except DataError:
            counts = False
        if counts:
            raise ParameterError("this is a table of counts and names nobody; pass --counts, and --cells.") from None
        raise


def _guessed(counts: Counts, visits: Visits, pairing: Any, seed: int) -> dict[str, float]:
    from incrowd import attack

    return attack.chance_accuracy(counts, visits, pairing=pairing, seed=seed)


def _save(recovery: "Recovered", path: Path, named: "Cells | None", *, force: bool) -> None:
    """The recovered people; in text under the labels that the publisher gave the cells."""
    from incrowd.data.files import whole_file

    people = recovery.visits()
    if named is None or path.suffix != ".csv":
        people.save(path, force=force)
        return
    import pyarrow as pa
    import pyarrow.csv as pc

    with whole_file(path, force=force) as part:
        pc.write_csv(pa.table({**people.columns(), "cell": named.names[people.cell]}), part)


def _mended(counts: Counts, users: int | None) -> Counts:
    """Counts that add up, repaired as an attacker would where they do not."""
    from incrowd import attack

    total = counts.n.sum(axis=1)
    fine = counts.whole and (counts.n >= 0).all() and (total == total[0]).all() and users in (None, total[0])
    if fine:
        return counts
    mended = attack.repair(counts, users=users)
    reasons = ", ".join(mended.ledger.steps[-1].reasons())
    note(f"the counts do not add up and were repaired to {int(mended.n[0].sum()):,} people: {reasons}")
    return mended


def _singled_out(recovery: "Recovered") -> "list[Uniqueness]":
    """How many of the recovered their top cells single out, which an attacker sees too."""
    from incrowd import measure

    people = recovery.visits()
    return [measure.uniqueness(people, points=k, knowledge="top") for k in TOP]


def _record(recovery: "Recovered") -> dict[str, Any]:
    """What is said of the attack as a whole; who was where is written with --recovered only."""
    users, slots = recovery.cells.shape
    names = ("slot_min", "method", "theta_m", "seed", "costs", "bounds", "gap", "gains", "gain_bounds", "gain_gap")
    return {"users": users, "slots": slots, **{name: getattr(recovery, name) for name in names}}


def _beside(chance: Mapping[str, float] | None, *, truth_known: bool) -> str:
    """What trivial guesses get right from the same counts, or why that is not known."""
    if not truth_known:
        return "There is no ground truth for these positions; pass --truth VISITS to score them."
    from incrowd.attack.recover.guesses import GUESSES

    guesses = [f"{percent(share)} by {GUESSES[name]}" for name, share in (chance or {}).items()]
    return f"By guessing from the same counts, positions are right: {' and '.join(guesses)}." if guesses else ""
