"""Results -> plain values, for JSON.

>>> to_json({"share": np.float64(0.5), "users": np.arange(2)})
'{"share": 0.5, "users": [0, 1]}'
"""

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

LONGEST = 5_000  # longer arrays are per-person columns: they belong into a table, not into a summary


def plain(value: Any) -> Any:
    """Dataclasses, mappings and arrays as dicts and lists; a long array is replaced by its shape."""
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if is_dataclass(value) and not isinstance(value, type):
        shown = [field.name for field in fields(value) if field.repr]
        return {name: plain(getattr(value, name)) for name in shown}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist()) if value.size <= LONGEST else {"shape": list(value.shape)}
    if isinstance(value, (list, tuple, set, frozenset)):
        items = sorted(value) if isinstance(value, (set, frozenset)) else value
        return [plain(item) for item in items]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


def to_json(value: Any, *, indent: int | None = None) -> str:
    """One JSON document that any parser reads: no NaN, no numpy."""
    return json.dumps(plain(value), indent=indent, allow_nan=False, default=str)
