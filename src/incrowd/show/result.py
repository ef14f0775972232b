"""Result: what every record that incrowd computes can do."""

from collections.abc import Mapping
from dataclasses import fields
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from incrowd.errors import MissingExtra, ParameterError
from incrowd.plain import plain
from incrowd.show.printed import text
from incrowd.show.section import Section, Table

if TYPE_CHECKING:
    import pandas as pd  # noqa: TID251
    import pyarrow as pa


class Result:
    """A record that explains itself: a section, a line for a terminal, a table for data frames, a mapping for JSON.

    A kind that can present several results in one section has a class method `together(results)`.
    """

    def section(self) -> Section:
        """The question it answers, with the answer, tables and panels."""
        raise NotImplementedError

    def to_dict(self) -> Any:
        """Plain values for JSON; arrays with a value for each person are left out if they are long."""
        return {f.name: plain(getattr(self, f.name)) for f in fields(self) if f.repr}  # type: ignore[arg-type]

    def columns(self) -> Mapping[str, Any]:
        """The flat table behind `to_arrow`: here one row with every single value."""
        record = self.to_dict()
        return {name: [value] for name, value in record.items() if value is None or np.isscalar(value)}

    def to_arrow(self) -> "pa.Table":
        """The result as an Arrow table: a row for each person or setting, or one row of single values."""
        import pyarrow as pa

        return pa.table({name: pa.array(values) for name, values in self.columns().items()})

    def to_pandas(self) -> "pd.DataFrame":
        """The same table as a pandas frame."""
        try:
            return self.to_arrow().to_pandas()
        except ModuleNotFoundError as error:
            raise MissingExtra("to_pandas needs pandas; install it with: pip install pandas.") from error

    def __str__(self) -> str:
        return text(self.section(), tables=False)

    def _repr_html_(self) -> str:
        """For a notebook: the answer, the tables and the settings."""
        section = self.section()
        options = f"<p><small>{escape(section.options)}</small></p>" if section.options else ""
        return f"<p>{escape(section.answer)}</p>{''.join(map(_html, section.tables))}{options}"


def section_of(result: Any) -> Section:
    """The section that explains a result, or several results of one kind together."""
    if isinstance(result, Section):
        return result
    if isinstance(result, Result):
        return result.section()
    kinds = {type(one) for one in result} if isinstance(result, (list, tuple)) else set()
    if len(kinds) == 1 and hasattr(kind := kinds.pop(), "together"):
        return kind.together(result)  # type: ignore[no-any-return]
    raise ParameterError(f"a {type(result).__name__} cannot be shown; pass results that incrowd computed.")


def _html(table: Table) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in table.head)
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in table.rows)
    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
