# The house's verbs. `make demo` and `make test` are all that a fresh machine needs.
BIN := .venv/bin
export PYTHON

.PHONY: setup setup-test demo test check bench soak lock clean

setup: ## .venv with the pinned lock and Reprise itself; apt packages with root or sudo
	@infra/setup.sh

setup-test:
	@infra/setup.sh test

demo: setup ## the whole main job on the bundled paper
	@$(BIN)/reprise demo

test: setup-test ## the whole suite, in parts, with the seconds of each
	@$(BIN)/python tests/run_parts.py static fast services e2e

check: setup-test ## lint, types, import rules, fast tests
	@$(BIN)/python tests/run_parts.py static fast

bench: setup-test ## one JSON line per benchmark
	@$(BIN)/python -m tests.bench

soak: setup-test ## processes killed at random while runs go on; REPRISE_SOAK_SEED repeats a failure
	@REPRISE_SOAK_ROUNDS=$(or $(ROUNDS),40) $(BIN)/python -m pytest -s tests/e2e/test_crashes.py

lock: ## resolves pyproject.toml anew into requirements.lock and requirements-test.lock
	@$(or $(PYTHON),python3) infra/lock.py

clean: ## removes what can be made again; data stays
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find functions runner tests infra -name __pycache__ -type d -prune -exec rm -rf {} +
