"""The errors incrowd raises on purpose, each one sentence: what is wrong, where, what to do.

IncrowdError
├── DataError        the data cannot be used as they are
├── ParameterError   an option has no meaning, alone or with these data
└── MissingExtra     an optional dependency is not installed

IncrowdWarning       a warning raised on purpose; the work goes on

`@public` above a function or dataclass that users call refuses a misspelt option and a wrong noun in its name:
"grid() got an unexpected option 'cell_size'; did you mean cell_m?"; `check_kind` refuses a wrong noun elsewhere.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import update_wrapper
from numbers import Real
from pathlib import Path
from types import FunctionType, NoneType
from typing import Any, TypeVar, get_args

F = TypeVar("F", bound=Callable[..., Any])
_LOGIN = re.compile(r"(:/+)[^/\s@]*:\S*@")  # a path has one slash of an address
_names: dict[str, str] = {}


@contextmanager
def naming() -> Iterator[dict[str, str]]:
    """Paths that errors and warnings call by another name, as a copy is called by what it was made from."""
    before = dict(_names)
    try:
        yield _names
    finally:
        _names.clear()
        _names.update(before)


def named(text: str) -> str:
    """A text in which paths have their other names, and no address holds a password.

    >>> named("cannot read postgresql://me:geheim@host/city.")
    'cannot read postgresql://***@host/city.'
    """
    for path in sorted(_names, key=len, reverse=True):
        text = text.replace(path, _names[path])
    return _LOGIN.sub(r"\1***@", text)


class IncrowdError(Exception):
    """Base of every error raised on purpose; its text never carries a person's value, nor a password."""

    def __init__(self, text: str = "") -> None:
        super().__init__(named(text))


class DataError(IncrowdError):
    """The data cannot be used as they are."""


class ParameterError(IncrowdError):
    """An option has no meaning, alone or with these data."""


class MissingExtra(IncrowdError):
    """An optional dependency is not installed; the text holds the command that installs it."""


class IncrowdWarning(RuntimeWarning):
    """The work goes on, but not as the caller may expect."""

    def __init__(self, text: str = "") -> None:
        super().__init__(named(text))


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Refuse an option that is none of its choices."""
    if value not in choices:
        raise ParameterError(f"unknown {name} {value!r}; choose from {', '.join(choices)}.")


def check_file(path: Path, *, there: bool = False) -> None:
    """Refuse a pipe or a device before it is opened: it may give nothing, or never end; and what must be there."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise DataError(f"{path} is a pipe or a device, not a file; save what it holds in a file first.")
    if there and not path.is_file():
        raise DataError(f"{path} does not exist; check the path.")


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


def check_kind(call: str, value: object, *kinds: type) -> None:
    """Refuse data of another kind than a call needs; a noun names the call that makes it in `MADE_BY`.

    >>> check_kind("uniqueness", 7, str)
    Traceback (most recent call last):
    incrowd.errors.DataError: uniqueness needs a str, got an int.
    """
    if isinstance(value, kinds):
        return
    nouns = [kind for kind in kinds if kind is not NoneType]
    makers = [f"`{kind.MADE_BY}`" for kind in nouns if hasattr(kind, "MADE_BY")]
    them = "it" if not nouns[0].__name__.endswith("s") else "them"
    advice = f"; make {them} with {_either(makers)}" if makers else ""
    advice = f"; {value.INSTEAD}" if hasattr(value, "INSTEAD") else advice
    got = "None" if value is None else _a(type(value))
    wanted = dict.fromkeys("a path" if Path in nouns and kind in (str, Path) else _a(kind) for kind in nouns)
    raise DataError(f"{call} needs {_either(list(wanted))}, got {got}{advice}.")


def _either(names: list[str]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _a(kind: type) -> str:
    """A type with its article; most nouns are plurals."""
    name = kind.__name__
    if hasattr(kind, "MADE_BY") and name.endswith("s"):
        return name
    return f"an {name}" if name.lower().startswith((*"aeiou", "nd")) else f"a {name}"


def public(call: F) -> F:
    """The same function or dataclass, which refuses an unknown option and a wrong noun before it begins.

    Options are known by the signature, and by the TypedDict of `**options: Unpack[TypedDict]`. An argument annotated
    with nouns alone (`visits: Visits`, `data: Visits | None`), with a path alone, or with a release or its path is
    checked by `check_kind`; a path beside other nouns is a source, which may also be several files or a data frame.
    """
    if isinstance(call, type):
        call.__init__ = public(call.__init__)  # type: ignore[misc]
        return call
    parameters = inspect.signature(call).parameters
    # A method may be inherited: its own name is enough; a class is called by its name.
    name = call.__name__ if next(iter(parameters), "") == "self" else call.__qualname__
    name = call.__qualname__.rpartition(".")[0] if name in ("__init__", "__call__") else name
    options = _options(parameters.values())
    nouns = {p.name: (i, kinds) for i, p in enumerate(parameters.values()) if (kinds := _nouns(p.annotation))}

    def check(args: tuple[Any, ...], given: Mapping[str, Any]) -> None:
        for option in given if options else ():
            if option not in options:
                raise ParameterError(f"{name}() got an unexpected option {option!r}; {near(option, options)}")
        for noun, (place, kinds) in nouns.items():
            if place < len(args) or noun in given:
                # An option is named; of what a call is about, the call says enough.
                call = f"{noun} of {name}" if Path in kinds and noun in given else name
                check_kind(call, args[place] if place < len(args) else given[noun], *kinds)

    def checked(*args: Any, **given: Any) -> Any:
        check(args, given)
        return call(*args, **given)

    # In the module of the call, where doctest looks for it.
    made = FunctionType(checked.__code__, call.__globals__, closure=checked.__closure__)
    return update_wrapper(made, call)  # type: ignore[return-value]


def near(name: str, names: Iterable[str]) -> str:
    """Advice for a name that is not one of some names.

    >>> near("cell_size", ["cell_m", "slot_min"]), near("x", ["cell_m", "slot_min"])
    ('did you mean cell_m?', 'choose from cell_m, slot_min.')
    """
    from difflib import get_close_matches

    close = get_close_matches(name, names, n=1, cutoff=0.5)
    return f"did you mean {close[0]}?" if close else f"choose from {', '.join(names)}."


def _options(parameters: Iterable[inspect.Parameter]) -> tuple[str, ...]:
    """The names a call can be given by keyword; none if it takes any."""
    names: list[str] = []
    for parameter in parameters:
        if parameter.kind is parameter.VAR_KEYWORD:
            listed = [name for kind in get_args(parameter.annotation) for name in kind.__annotations__]
            if not listed:
                return ()
            names += listed
        elif parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
    return tuple(name for name in names if name not in ("self", "cls"))


def _nouns(annotation: Any) -> tuple[type, ...]:
    """The kinds an argument may have, if all of them are nouns or paths (or None); none if it may be anything else."""
    kinds = get_args(annotation) or (annotation,)
    nouns = [kind for kind in kinds if hasattr(kind, "MADE_BY")]
    paths = [kind for kind in kinds if kind in (str, Path)] if Path in kinds else []
    source = paths and nouns and all(kind.__name__ != "Release" for kind in nouns)
    known = all(kind is NoneType or kind in nouns or kind in paths for kind in kinds)
    return tuple(kinds) if (nouns or paths) and known and not source else ()


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
