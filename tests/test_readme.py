"""The README's code runs as it stands."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()


def test_the_ten_lines_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)[1]
    exec(compile(code, "README.md", "exec"), {})
    out = capsys.readouterr().out
    assert "are identified by 4" in out and "True" in out
    assert (tmp_path / "report.html").exists()


def test_every_file_it_names_is_there():
    named = re.findall(r"`([\w/]+\.(?:md|cff))`", README)
    assert len(named) > 5 and all((ROOT / name).exists() for name in named)


def links_in(text):
    """Links and pictures that name no address."""
    return [link for link in re.findall(r"\]\(([^)]+)\)", text) if not link.startswith(("https://", "#"))]


def test_every_link_and_picture_is_there():
    assert links_in(README) and all((ROOT / link).exists() for link in links_in(README))


def test_the_page_of_a_package_index_has_no_link_that_it_would_break():
    hook = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["metadata"]["hooks"]
    page = README
    for change in hook["fancy-pypi-readme"]["substitutions"]:
        page = re.sub(change["pattern"], change["replacement"], page)
    assert links_in(page) == [] and "docs/studio.md" in page


def test_every_command_it_shows_exists():
    from typer.main import get_command

    from incrowd.cli import app

    commands = get_command(app).commands
    blocks = "".join(re.findall(r"```sh\n(.*?)```", README, re.DOTALL))
    shown = set(re.findall(r"^incrowd (\w+)", blocks, re.MULTILINE))
    assert {"inspect", "clean", "audit"} <= shown <= set(commands)
