"""incrowd audit."""

from pathlib import Path
from typing import Annotated

import typer

from incrowd.cli.options import Json
from incrowd.cli.screen import answer, progress_bar


def audit(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="A release folder, or any Parquet or CSV table.")],
    original: Annotated[Path | None, typer.Option(help="The data it was made from.")] = None,
    link: Annotated[Path | None, typer.Option(help="The link file: pseudonym, user.")] = None,
    k: Annotated[int | None, typer.Option(help="People that must share a fingerprint, or with --l a sequence.")] = None,
    l: Annotated[int | None, typer.Option("--l", help="Longest sequence somebody may know (LKC-privacy).")] = None,  # noqa: E741
    c: Annotated[float | None, typer.Option(help="Largest share of one sensitive value (LKC-privacy).")] = None,
    sensitive: Annotated[str | None, typer.Option(metavar="COLUMN", help="The sensitive attribute.")] = None,
    value: Annotated[list[str], typer.Option(help="A sensitive value that counts, all without it; repeatable.")] = [],  # noqa: B006
    as_json: Json = False,
) -> None:
    """Check a release without trusting whoever made it; the exit code is 1 when a check fails.

    incrowd audit release --k 5

    incrowd audit release --original traces.parquet --link link.csv
    """
    from incrowd import audit

    with progress_bar():
        verdict = audit.check(
            release, original=original, link=link, k=k, l=l, c=c, sensitive=sensitive, values=value or None
        )
    failed = len(verdict.failed)
    answer(f"{verdict}\n\n{failed} of {len(verdict)} checks failed", verdict, as_json=as_json)
    if failed:
        raise typer.Exit(1)
