# make demo | test | check | site | bench | clean; each sets up what it needs. make fuzz draws new random cases; make fuzz-audit damages releases for ten minutes; make spark compares Spark with one machine; make gpu needs a GPU, and the Python named by PYTHON.
.PHONY: demo test fuzz fuzz-audit test-slow spark check format docs site papers bench gpu clean

demo: .venv/.ready
	.venv/bin/incrowd demo --output demo --force

test: .venv/.ready
	.venv/bin/pytest -n 2 -m "not slow and not spark" --hypothesis-profile=ci

fuzz: .venv/.ready
	.venv/bin/pytest -n 2 -m hypothesis

fuzz-audit: .venv/.ready
	PYTHONPATH=tests .venv/bin/python -m audit.fuzz 600

test-slow: .venv/.ready
	.venv/bin/pytest -m slow

spark: .venv/.ready
	./scripts/spark
	.venv/bin/pytest -n 0 tests/spark
	INCROWD_SPARK_MASTER='local-cluster[2,1,512]' .venv/bin/pytest -n 0 tests/spark

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
	.venv/bin/python scripts/paper_docs.py > docs/papers.md
	.venv/bin/python scripts/doc_figures.py
	.venv/bin/python tests/pages.py
	.venv/bin/python tests/notebooks.py

site: .venv/.ready
	NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict

papers: .venv/.ready
	.venv/bin/python scripts/paper_docs.py --run
	.venv/bin/python scripts/paper_docs.py > docs/papers.md

bench: .venv/.ready
	mkdir -p benchmarks/results
	.venv/bin/python -m benchmarks | tee benchmarks/results/latest.jsonl
	.venv/bin/python scripts/growth.py

gpu:
	./scripts/gpu

clean:
	rm -rf .venv .tools demo build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

.venv/.ready: pyproject.toml uv.lock scripts/setup
	./scripts/setup
