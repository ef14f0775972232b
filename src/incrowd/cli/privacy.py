"""What the commands about LKC-privacy share: what an attacker may know, and which sequences are worth keeping."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import typer

from incrowd.cli.inputs import carried_values
from incrowd.cli.options import gathers
from incrowd.data import Visits

PRIVACY: dict[str, tuple[Any, Any]] = {
    "l": (Annotated[int, typer.Option("--l", help="Most visits of a person somebody may know.")], 2),
    "k": (Annotated[int, typer.Option("--k", help="People who must share what is known.")], 2),
    "c": (Annotated[float, typer.Option("--c", help="Largest share of them with one sensitive value.")], 1.0),
    "sensitive": (Annotated[str | None, typer.Option(help="The sensitive attribute of a person.")], None),
    "value": (
        Annotated[list[str], typer.Option(help="A sensitive value that counts, all without it; repeatable.")],
        [],
    ),
    "min_support": (
        Annotated[int, typer.Option(help="Sequences shared by this many people are worth keeping.")],
        2,
    ),
    "same_time": (
        Annotated[Literal["refuse", "order"], typer.Option(help="Two cells in one slot of a person.")],
        "refuse",
    ),
    "limit_s": (Annotated[float, typer.Option(help="Give up a search after this many seconds.")], 600),
    "limit_gib": (Annotated[float, typer.Option(help="Give up a search that holds more GiB of memory.")], 2),
}


@dataclass(frozen=True)
class Privacy:
    """What is asked of the sequences: the options of PRIVACY, gathered."""

    l: int  # noqa: E741
    k: int
    c: float
    sensitive: str | None
    value: list[str]
    min_support: int
    same_time: Literal["refuse", "order"]
    limit_s: float
    limit_gib: float

    @property
    def search(self) -> dict[str, Any]:
        """How sequences are searched, as the keywords of `frequent_sequences`."""
        return {"same_time": self.same_time, "limit_s": self.limit_s, "limit_gib": self.limit_gib}

    def arguments(self, visits: Visits) -> dict[str, Any]:
        """As the keywords of `violating_sequences`, about these visits."""
        values = carried_values(visits, self.sensitive, self.value)
        asked = {"l": self.l, "k": self.k, "c": self.c, "sensitive": self.sensitive}
        return {**asked, "values": values, **self.search}


asks_privacy = gathers("privacy", PRIVACY, Privacy, in_place=True)
