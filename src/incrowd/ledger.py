"""What happened to every record: read + created = kept + dropped, each drop with its reason.

>>> ledger = Ledger().add("duplicates", read=10, kept=8, dropped={"exact duplicate": 2}, users=(3, 3))
>>> print(ledger)
10 records came in, 2 were dropped, and 8 remain.
step                    read         kept       users
duplicates                10            8           3
    -2 exact duplicate
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from incrowd.plain import several
from incrowd.show import Bars, Result, Section, Table

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
class Ledger(Result):
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

    def columns(self) -> Mapping[str, Any]:
        """A row for each step: records read, created, dropped and kept, and how many users are left."""
        return {
            "step": [step.name for step in self.steps],
            "read": [step.read for step in self.steps],
            "created": [sum(step.created.values()) for step in self.steps],
            "dropped": [sum(step.dropped.values()) for step in self.steps],
            "kept": [step.kept for step in self.steps],
            "users": [step.users[1] if step.users else None for step in self.steps],
        }

    def section(self) -> Section:
        """What happened to every record."""
        if not self.steps:
            return Section("What happened to every record?", "No step was recorded.", data=self)
        first, last = self.steps[0], self.steps[-1]
        read = first.read + sum(first.created.values())
        lost = sum(sum(step.dropped.values()) for step in self.steps)
        created = sum(sum(step.created.values()) for step in self.steps[1:])
        added = f", {created:,} {_was(created)} added" if created else ""
        remain = "remains" if last.kept == 1 else "remain"
        head = ("step", "read", "kept", "users", "dropped", "why")
        rows = [(*_cells(step)[:4], f"{sum(step.dropped.values()):,}", _cells(step)[4]) for step in self.steps]
        return Section(
            question="What happened to every record?",
            answer=f"{several(read, 'record')} came in, {lost:,} {_was(lost)} dropped{added}, and {last.kept:,} "
            f"{remain}.",
            number=f"{last.kept:,}",
            number_of="records remain",
            panels=[self.drops()] if lost else [],
            tables=[Table(head, rows)],
            method=["In each step read + created = kept + dropped; a step that does not add up cannot be recorded."],
            data=self,
            number_at=(len(self.steps) - 1, "kept"),
        )

    def drops(self) -> Bars:
        """Records dropped, by step and reason; by step alone if nothing was dropped."""
        reasons = {f"{step.name}: {why}": n for step in self.steps for why, n in step.dropped.items() if n}
        reasons = reasons or {step.name: 0 for step in self.steps}
        caption = "Records dropped, by step and reason."
        return Bars("ledger", tuple(reasons), {"": list(reasons.values())}, "records", caption, lying=True)

    def __str__(self) -> str:
        lines = [self.section().answer, f"{'step':<17}{'read':>11} {'kept':>12} {'users':>11}"]
        for step in self.steps:
            name, read, kept, users, _ = _cells(step)
            lines.append(f"{name:<17}{read:>11} {kept:>12} {users:>11}")
            lines += [f"    {reason}" for reason in step.reasons()]
        return "\n".join(lines)


def _was(count: int) -> str:
    return "was" if count == 1 else "were"


def _cells(step: Step) -> tuple[str, ...]:
    users = f"{step.users[1]:,}" if step.users else "-"
    return (step.name, f"{step.read:,}", f"{step.kept:,}", users, ", ".join(step.reasons()))


def _plain(counts: Mapping[str, int]) -> dict[str, int]:
    return {reason: int(n) for reason, n in counts.items()}
