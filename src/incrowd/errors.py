"""The errors incrowd raises on purpose, each one sentence: what is wrong, where, what to do.

IncrowdError
├── DataError        the data cannot be used as they are
├── ParameterError   an option has no meaning, alone or with these data
└── MissingExtra     an optional dependency is not installed

IncrowdWarning       what it says on purpose while it goes on
"""

from numbers import Real
from pathlib import Path
from typing import Any


class IncrowdError(Exception):
    """Base of every error raised on purpose; its text never carries a person's value."""


class DataError(IncrowdError):
    """The data cannot be used as they are."""


class ParameterError(IncrowdError):
    """An option has no meaning, alone or with these data."""


class MissingExtra(IncrowdError):
    """An optional dependency is not installed; the text holds the command that installs it."""


class IncrowdWarning(RuntimeWarning):
    """Work goes on, otherwise than was to be expected."""


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Refuse an option that is none of its choices."""
    if value not in choices:
        raise ParameterError(f"unknown {name} {value!r}; choose from {', '.join(choices)}.")


def check_file(path: Path) -> None:
    """Refuse a pipe or a device before it is opened: it may give nothing, or never end."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise DataError(f"{path} is a pipe or a device, not a file; save what it holds in a file first.")


def check_positive(**values: Any) -> None:
    """Refuse what is not a finite number above zero."""
    for name, value in values.items():
        if not (_is_number(value) and 0 < value < float("inf")):
            raise ParameterError(f"{name} must be above 0 and finite, got {value!r}.")


def check_whole(**values: Any) -> None:
    """Refuse what is not a whole number of at least 1."""
    for name, value in values.items():
        if not (_is_number(value) and 1 <= value < float("inf") and value == int(value)):
            raise ParameterError(f"{name} must be a whole number of at least 1, got {value!r}.")


def check_seed(**values: Any) -> None:
    """Refuse what is not a whole number of at least 0."""
    for name, value in values.items():
        if not (_is_number(value) and 0 <= value < float("inf") and value == int(value)):
            raise ParameterError(f"{name} must be a whole number of at least 0, got {value!r}.")


def check_share(**values: Any) -> None:
    """Refuse what is not a number between 0 and 1."""
    for name, value in values.items():
        if not (_is_number(value) and 0 <= value <= 1):
            raise ParameterError(f"{name} must be a share between 0 and 1, got {value!r}.")


def check_kind(kind: type, **values: Any) -> None:
    """Refuse data of another kind than a call can use."""
    for name, value in values.items():
        if not isinstance(value, kind):
            raise DataError(f"{name} must be {kind.__name__}, got {type(value).__name__}; make {kind.__name__} of it.")


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
