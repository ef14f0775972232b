# make demo | test | check | bench | clean; each sets up what it needs.
.PHONY: demo test test-slow check format docs bench clean

demo: .venv/.ready
	.venv/bin/incrowd demo --output demo --force

test: .venv/.ready
	.venv/bin/pytest -n 2 -m "not slow"

test-slow: .venv/.ready
	.venv/bin/pytest -m slow

check: .venv/.ready
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/lint-imports

format: .venv/.ready
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .

docs: .venv/.ready
	.venv/bin/python scripts/cli_docs.py > docs/cli.md

bench: .venv/.ready
	mkdir -p benchmarks/results
	.venv/bin/python -m benchmarks | tee benchmarks/results/latest.jsonl

clean:
	rm -rf .venv .tools demo build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

.venv/.ready: pyproject.toml uv.lock scripts/setup
	./scripts/setup
