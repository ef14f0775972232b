"""Print docs/cli.md: the help of every command, as a reader of 80 columns sees it."""

import re

from typer.main import get_command
from typer.testing import CliRunner

from incrowd.cli import app

HEAD = """# Command line

Made from the commands by `make docs`; a test fails if it is out of date. Exit codes: 0 done, 1 a gate is shut (a check
failed or a limit is exceeded), 2 bad input or a refused option, 130 interrupted.
"""


def main() -> None:
    print(HEAD + "".join(_chapter(path) for path in _paths(get_command(app), ())), end="")


def _paths(command: object, path: tuple[str, ...]) -> list[tuple[str, ...]]:
    inner = getattr(command, "commands", {})
    return [path, *(below for name, sub in inner.items() for below in _paths(sub, (*path, name)))]


def _chapter(path: tuple[str, ...]) -> str:
    width = {"COLUMNS": "80", "TERMINAL_WIDTH": "80", "NO_COLOR": "1", "TERM": "dumb"}
    help_text = CliRunner().invoke(app, [*path, "--help"], env=width).stdout
    text = re.sub(r"[ \t]+\n", "\n", help_text).strip("\n")
    return f"\n## {' '.join(('incrowd', *path))}\n\n```text\n{text}\n```\n"


if __name__ == "__main__":
    main()
