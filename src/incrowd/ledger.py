"""What happened to every record: read + created = kept + dropped, each drop with its reason.

>>> ledger = Ledger().add("duplicates", read=10, kept=8, dropped={"exact duplicate": 2}, users=(3, 3))
>>> print(ledger)
step                    read         kept       users
duplicates                10            8           3
    -2 exact duplicate
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from incrowd.plain import Shown

NOTHING: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True)
class Step:
    """One step; a step whose sum does not close cannot be made."""

    name: str
    read: int
    kept: int
    dropped: Mapping[str, int] = field(default_factory=dict)  # reason -> records
    created: Mapping[str, int] = field(
        default_factory=dict
    )  # records that were not in the input, such as interpolated ones
    notes: Mapping[str, int] = field(default_factory=dict)  # counts worth knowing that move no record
    users: tuple[int, int] | None = None  # before, after

    def __post_init__(self) -> None:
        counts = [self.read, self.kept, *self.dropped.values(), *self.created.values(), *self.notes.values()]
        if min(counts) < 0:
            raise ValueError(f"step {self.name!r} counts below zero.")
        if self.read + sum(self.created.values()) != self.kept + sum(self.dropped.values()):
            raise ValueError(f"step {self.name!r} does not account for every record.")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "step": self.name,
            "read": self.read,
            "kept": self.kept,
            "dropped": dict(self.dropped),
            "created": dict(self.created),
            "notes": dict(self.notes),
            "users": list(self.users) if self.users else None,
        }

    def reasons(self) -> list[str]:
        """Drops (-), creations (+) and notes in words; those that met nothing are left out."""
        lost = [f"-{n:,} {reason}" for reason, n in self.dropped.items() if n]
        made = [f"+{n:,} {reason}" for reason, n in self.created.items() if n]
        return lost + made + [f"({n:,} {note})" for note, n in self.notes.items() if n]


@dataclass(frozen=True)
class Ledger(Shown):
    """The steps data went through, oldest first."""

    steps: tuple[Step, ...] = ()

    def add(
        self,
        name: str,
        *,
        read: int,
        kept: int,
        dropped: Mapping[str, int] = NOTHING,
        created: Mapping[str, int] = NOTHING,
        notes: Mapping[str, int] = NOTHING,
        users: tuple[int, int] | None = None,
    ) -> "Ledger":
        """A ledger with one more step."""
        counted = (int(users[0]), int(users[1])) if users else None
        step = Step(name, int(read), int(kept), _plain(dropped), _plain(created), _plain(notes), counted)
        return Ledger((*self.steps, step))

    def to_dict(self) -> list[dict[str, Any]]:
        """Plain values, for JSON."""
        return [step.to_dict() for step in self.steps]

    @classmethod
    def from_dict(cls, steps: list[dict[str, Any]]) -> "Ledger":
        """The reverse of `to_dict`."""
        ledger = cls()
        for step in steps:
            values = {k: v for k, v in step.items() if k != "step"}
            ledger = ledger.add(step["step"], **values)
        return ledger

    def _shown(self) -> list[tuple[str, ...]]:
        head = ("step", "read", "kept", "users", "why")
        return [head, *(_cells(step) for step in self.steps)]

    def __str__(self) -> str:
        lines = [f"{'step':<17}{'read':>11} {'kept':>12} {'users':>11}"]
        for step in self.steps:
            name, read, kept, users, _ = _cells(step)
            lines.append(f"{name:<17}{read:>11} {kept:>12} {users:>11}")
            lines += [f"    {reason}" for reason in step.reasons()]
        return "\n".join(lines)


def _cells(step: Step) -> tuple[str, ...]:
    users = f"{step.users[1]:,}" if step.users else "-"
    return (step.name, f"{step.read:,}", f"{step.kept:,}", users, ", ".join(step.reasons()))


def _plain(counts: Mapping[str, int]) -> dict[str, int]:
    return {reason: int(n) for reason, n in counts.items()}
