"""Grain: how large a place and how long a period are when risk is measured on raw records."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Grain:
    """The cells and slots on which the commands that measure risk put raw records; saved visits keep their own.

    Args:
        cell_m: Side of a grid cell, for raw records; saved visits keep their cells.
        slot_min: Width of a time slot, for raw records; saved visits keep their slots.
    """

    cell_m: float = 500
    slot_min: int = 60

    def __str__(self) -> str:
        return f"{self.cell_m:,g} m cells, {self.slot_min:,} min slots"
