"""incrowd audit."""

from pathlib import Path
from typing import Annotated, Any

import typer

from incrowd import progress
from incrowd.cli.inputs import saved_visits
from incrowd.cli.options import Json
from incrowd.cli.reading import ReadingOptions, one_or_many, reads
from incrowd.cli.screen import answer, progress_bar
from incrowd.data.release_folder import attestation_of
from incrowd.errors import ParameterError


@reads
def audit(
    reading: ReadingOptions,
    release: Annotated[
        Path | None, typer.Argument(metavar="RELEASE", help="A release folder, or any Parquet or CSV table.")
    ] = None,
    original: Annotated[
        list[str], typer.Option(metavar="SOURCE", help="The data the method was given; repeatable, as for anonymize.")
    ] = [],  # noqa: B006
    link: Annotated[Path | None, typer.Option(help="The link file: pseudonym, user.")] = None,
    k: Annotated[
        int | None, typer.Option(help="People that must share every whole trajectory, or with --l a sequence.")
    ] = None,
    l: Annotated[  # noqa: E741
        int | None, typer.Option("--l", help="Longest sequence of visits that an attacker may know (LKC-privacy).")
    ] = None,
    c: Annotated[float | None, typer.Option(help="Largest share of one sensitive value (LKC-privacy).")] = None,
    delta_m: Annotated[
        float | None, typer.Option(help="With --k: the diameter of the cylinder that k people must share.")
    ] = None,
    sensitive: Annotated[str | None, typer.Option(metavar="COLUMN", help="The sensitive attribute.")] = None,
    value: Annotated[
        list[str], typer.Option(help=r"A sensitive value that counts; repeatable. \[default: all values]")
    ] = [],  # noqa: B006
    page: Annotated[
        Path | None,
        typer.Option(help="Recompute what assess --attest wrote: digests of files, limits, tests due and verdict."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Does a release meet the guarantees it states, and those asked for? The exit code is 1 if a check fails.

    What a manifest claims adds checks and removes none. --column names the columns of a table of another tool.

    incrowd audit release --k 5

    incrowd audit release --k 2 --delta-m 2000

    incrowd audit release --original traces.csv --time-zone Europe/Amsterdam --link link.csv

    incrowd audit --page release.assessment.json

    Exit codes: 0 no check fails, 1 a check fails, 2 bad input, 130 interrupted.
    """
    from incrowd import audit

    if page is not None:
        from incrowd.assess.recheck import check_page

        with progress_bar():
            verdict = check_page(page, release=release, original=original, link=link, layout=reading.layout)
        answer(str(verdict), verdict, as_json=as_json)
        raise typer.Exit(0 if verdict.passed else 1)
    if release is None:
        raise ParameterError("name the release to audit, or an assessment of one (--page).")
    with progress_bar():
        asked: dict[str, Any] = {"k": k, "l": l, "c": c, "delta_m": delta_m, "sensitive": sensitive}
        asked["columns"] = {role: str(name) for role, name in (reading.arguments()["columns"] or {}).items()}
        verdict = audit.check(release, original=_original(original, reading), link=link, values=value or None, **asked)
        attested = _attested(release)
    progress.answered(verdict.section())
    *lines, counts = str(verdict).splitlines()
    record = {**verdict.to_dict(), **({"attestation": attested} if attested else {})}
    answer("\n".join([*lines, *([attested] if attested else []), counts]), record, as_json=as_json)
    if not verdict.passed:
        raise typer.Exit(1)


def _attested(release: Path) -> str:
    """The attestation beside a release and whether it fits; the auditor itself does not need it."""
    if not attestation_of(release).is_file():
        return ""
    from incrowd.assess.recheck import shown

    return shown(release)


def _original(sources: list[str], reading: ReadingOptions) -> Any:
    """What was saved by incrowd, a table of visits, or trajectories read as for any other command."""
    from incrowd import read
    from incrowd.read._kind import holding

    if not sources:
        return None
    if len(sources) == 1 and holding(sources[0]).saved:
        return sources[0]
    visits = saved_visits(one_or_many(sources), reading, slot_min=None)
    if visits is not None:
        return visits
    return read.table(one_or_many(sources), **reading.arguments())
