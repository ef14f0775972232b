"""The README's code runs as it stands."""

import re
from pathlib import Path

README = (Path(__file__).resolve().parents[1] / "README.md").read_text()


def test_the_ten_lines_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)[1]
    exec(compile(code, "README.md", "exec"), {})
    out = capsys.readouterr().out
    assert "single out" in out and "True" in out
    assert (tmp_path / "report.html").exists()


def test_every_file_it_names_is_there():
    root = Path(__file__).resolve().parents[1]
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links and all((root / link).exists() for link in links)


def test_every_command_it_shows_exists():
    from typer.main import get_command

    from incrowd.cli import app

    commands = get_command(app).commands
    blocks = "".join(re.findall(r"```sh\n(.*?)```", README, re.DOTALL))
    shown = set(re.findall(r"^incrowd (\w+)", blocks, re.MULTILINE))
    assert {"inspect", "clean", "audit"} <= shown <= set(commands)
