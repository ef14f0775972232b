"""The figures of growth, from made-up lines."""

import importlib.util
import json
import re
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "growth.py"


def growth():
    spec = importlib.util.spec_from_file_location("growth", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def line(family, what, n):
    size = {"slots": "slots_a_day"}.get(what, what)
    case = f"ash.growth_{what}_{n}" if family == "ash" else f"glove.growth_{n}"
    shares = {"glove_s": n**1.5, "exact_share": 1.0, "compared_share": 5 / n}
    return {"case": case, size: n, "recover_cpu_s": n**2.0, "score_cpu_s": float(n), **shares}


def test_both_figures_are_drawn_with_their_powers(tmp_path):
    lines = [line("ash", what, n) for what in ("users", "towers", "slots", "days") for n in (4, 1, 2)]
    lines += [line("glove", "users", n) for n in (10, 20, 40)]
    lines += [{"case": "ash.growth_users_9", "failed": 1}, {"case": "city.operator", "city_s": 1.0}]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, lines)))
    growth().main(tmp_path / "r.jsonl", tmp_path / "figures")
    ash = (tmp_path / "figures" / "ash_growth.svg").read_text()
    for text in ("people", "towers", "slots a day", "days", "CPU seconds"):
        assert f">{text}<" in ash
    assert ash.count("~ n^2.0") == 4 == ash.count("~ n^1.0") and len(re.findall(">scoring<", ash)) == 1
    glove = (tmp_path / "figures" / "glove_growth.svg").read_text()
    assert "~ n^1.5" in glove and "~ n^-1.0" in glove and ">pairs of samples<" in glove


def test_what_was_not_measured_is_said(tmp_path, capsys):
    (tmp_path / "r.jsonl").write_text(json.dumps(line("ash", "users", 5)))
    growth().main(tmp_path / "r.jsonl", tmp_path)
    assert "ash_growth: fewer than two sizes" in capsys.readouterr().out and not list(tmp_path.glob("*.svg"))
