"""The README's code runs as it stands."""

import re
from pathlib import Path

README = (Path(__file__).resolve().parents[1] / "README.md").read_text()


def test_the_ten_lines_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)[1]
    exec(compile(code, "README.md", "exec"), {})
    out = capsys.readouterr().out
    assert "are identified by 4" in out and "True" in out
    assert (tmp_path / "report.html").exists()


def test_every_file_it_names_is_there():
    root = Path(__file__).resolve().parents[1]
    named = re.findall(r"`([\w/]+\.(?:md|cff))`", README)
    assert len(named) > 5 and all((root / name).exists() for name in named)


def test_it_has_no_link_that_a_package_index_would_break():
    links = re.findall(r"\]\(([^)]+)\)", README)
    assert [link for link in links if not link.startswith(("https://", "#"))] == []


def test_every_command_it_shows_exists():
    from typer.main import get_command

    from incrowd.cli import app

    commands = get_command(app).commands
    blocks = "".join(re.findall(r"```sh\n(.*?)```", README, re.DOTALL))
    shown = set(re.findall(r"^incrowd (\w+)", blocks, re.MULTILINE))
    assert {"inspect", "clean", "audit"} <= shown <= set(commands)
