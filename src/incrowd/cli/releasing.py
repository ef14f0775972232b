"""What every command that makes a release shares: its options, and how the release is written and described."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from incrowd.cli.options import Force, Json, gathers
from incrowd.cli.screen import answer
from incrowd.data import Release, Table, Visits

Folder = Annotated[Path, typer.Option("--output", "-o", help="Folder of the release.")]
Residual = Annotated[
    int | None, typer.Option(help="Measure how many pseudonyms this many points still single out, and state it.")
]
RELEASING: dict[str, tuple[Any, Any]] = {
    "file": (Annotated[Literal["parquet", "csv"], typer.Option(help="Format of the published table.")], "parquet"),
    "keep_link": (
        Annotated[
            Path | None, typer.Option(help="Also write who is behind each pseudonym, to a file only you can read.")
        ],
        None,
    ),
    "force": (Force, False),
    "as_json": (Json, False),
}


@dataclass(frozen=True)
class Releasing:
    """How to write a release: the options of RELEASING, gathered."""

    file: Literal["parquet", "csv"]
    keep_link: Path | None
    force: bool
    as_json: bool

    def check(self, output: Path) -> None:
        """Refuse, before any work, outputs that cannot be written."""
        from incrowd.anonymize._publish import check_targets

        link = None if self.keep_link is None else self.keep_link.resolve()
        check_targets(output.resolve(), link, force=self.force)

    def publish(self, release: Release, original: Table, output: Path, *, points: int | None = None) -> None:
        """Write the release and say what it holds, and what a few points still single out if that is asked."""
        from incrowd import anonymize, measure

        shorts = ("drop", "all") if points is not None and isinstance(release.data, Visits) else ()
        risks = [measure.uniqueness(release.data, points=points, short=s) for s in shorts]  # type: ignore[arg-type]
        how: dict[str, Any] = {"file": self.file, "link": self.keep_link, "force": self.force}
        folder = anonymize.publish(release, output, original=original, residual_risk=risks or None, **how)
        text = f"{release.ledger}\n\n{release!r} -> {folder}\nguarantee: {release.guarantee}\n"
        text += "".join(f"{risk!r}\n" for risk in risks) + f"check it: incrowd audit {folder}"
        record = {"folder": folder.name, "ledger": release.ledger, "guarantee": release.guarantee}
        answer(text, {**record, "residual_risk": risks}, as_json=self.as_json)


releases = gathers("releasing", RELEASING, Releasing)
