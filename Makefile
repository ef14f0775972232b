# Each command sets up what it needs. make test is what a change must pass; fuzz draws new random cases, fuzz-audit damages
# releases for ten minutes, web installs Chromium, sources starts a database and an object store, spark compares Spark with one
# machine, dist builds wheel and sdist and tries both, gpu needs a GPU and the Python named by PYTHON.
.PHONY: demo test web web-short sources spark fuzz fuzz-audit test-slow check format docs site papers bench dist gpu clean

demo: .venv/.ready
	.venv/bin/incrowd demo --output demo --force

test: .venv/.ready
	.venv/bin/pytest -n 2 -m "not slow and not web and not sources and not spark" --hypothesis-profile=ci

web: .venv/.ready
	./scripts/browser
	.venv/bin/pytest -n 0 -m web

web-short: .venv/.ready
	./scripts/browser || true
	.venv/bin/pytest -n 0 -rs -m web tests/report/test_journey.py

fuzz: .venv/.ready
	.venv/bin/pytest -n 2 -m hypothesis

fuzz-audit: .venv/.ready
	PYTHONPATH=tests .venv/bin/python -m audit.fuzz 600

test-slow: .venv/.ready
	.venv/bin/pytest -m "slow and not web"

sources: .venv/.ready
	./scripts/sources
	.venv/bin/pytest -n 0 -rs -m sources tests/read tests/gate

spark: .venv/.ready
	./scripts/spark
	INCROWD_SPARK_MASTER='local-cluster[2,1,512]' .venv/bin/pytest -n 0 tests/spark
	INCROWD_SPARK_MASTER=standalone .venv/bin/pytest -n 0 tests/spark

check: .venv/.ready
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/lint-imports

format: .venv/.ready
	.venv/bin/ruff format .
	.venv/bin/ruff check --fix .

docs: .venv/.ready
	mkdir -p build
	.venv/bin/python scripts/cli_docs.py > docs/cli.md
	.venv/bin/python scripts/paper_docs.py > docs/papers.md
	.venv/bin/python scripts/gate_docs.py > build/gate.md && mv build/gate.md docs/gate.md
	.venv/bin/python scripts/doc_figures.py
	.venv/bin/python tests/pages.py
	.venv/bin/python tests/notebooks.py

site: .venv/.ready
	NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict

papers: .venv/.ready
	.venv/bin/python scripts/paper_docs.py --run
	.venv/bin/python scripts/paper_docs.py --full
	.venv/bin/python scripts/paper_docs.py > docs/papers.md

bench: .venv/.ready
	mkdir -p benchmarks/results
	.venv/bin/python -m benchmarks | tee benchmarks/results/latest.jsonl
	.venv/bin/python scripts/growth.py

dist: .venv/.ready
	.venv/bin/python scripts/dist.py

gpu:
	./scripts/gpu

clean:
	rm -rf .venv .tools demo build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

.venv/.ready: pyproject.toml uv.lock scripts/setup
	./scripts/setup
