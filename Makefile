PYTHON ?= python3
BIN := .venv/bin
CODE := src tests tools bench
QUICK := tests/model tests/content tests/warc tests/fetch tests/surface tests/test_settings.py tests/cli/test_help.py \
	$(addprefix tests/house/test_,repository.py style.py) $(addprefix tests/api/test_,health.py search.py) \
	$(addprefix tests/web/test_,home.py search_form.py search_texts.py present.py timeline.py plot.py)
# Hostile pages that exhaust a process, pauses of servers and browsers take longer than hundreds of other tests.
NOT_QUICK := --hypothesis-profile=quick -k "not postgresql and not pathological and not fts5_finds" \
	$(addprefix --ignore=tests/,content/test_page_reader.py fetch/test_budget.py fetch/browser)

.DEFAULT_GOAL := help
.PHONY: help run quick test surface soak lint typecheck bench pictures install install-dev lock clean

help: ## List the targets.
	@echo "Usage: make TARGET"
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | awk -F '\t' '{ printf "  %-12s %s\n", $$1, $$2 }'

# make hands SITE, PORT and PAGES to its commands as environment variables; quoting them in the shell keeps & and ? harmless.
run: install ## Archive the demo site, or SITE=https://..., and serve the archive on 127.0.0.1, port 8080 or PORT=...
	@exec $(BIN)/webstrata run $${SITE:+"$$SITE"} $${PORT:+--port "$$PORT"}

test: ## Run all tests except the soak tests, with a real PostgreSQL, Redis and browser.
	@$(PYTHON) -m tools.setup test
	$(BIN)/pytest --numprocesses=2 --dist=loadfile --no-loadscope-reorder

quick: install-dev ## Run the quick tests (under 30 seconds, on SQLite), before every commit.
	$(BIN)/pytest -q --numprocesses=2 --dist=loadfile --no-loadscope-reorder $(NOT_QUICK) $(QUICK)

surface: ## Write the golden files of the public surface, after an addition or a decision in tests/surface/decisions.txt.
	@$(PYTHON) -m tools.setup test
	$(BIN)/pytest -q tests/surface --update-surface

soak: ## Run the slow tests: kills, tools of others, and new examples for every property test.
	@$(PYTHON) -m tools.setup test
	$(BIN)/pytest -m soak
	$(BIN)/pytest -m "hypothesis and not soak" --hypothesis-profile=searching --timeout=1800 --numprocesses=2

lint: install-dev ## Check style, formatting and the direction of imports.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo

typecheck: install-dev ## Check the types of the package, its tests and its tools.
	$(BIN)/mypy $(CODE)

bench: install-dev ## Run the benchmarks and write bench/results.md; PAGES=DIR uses real pages.
	$(BIN)/python -m bench

pictures: install-dev ## Take new pictures for the documentation, from the demo archive.
	$(BIN)/python -m tools.pictures

install: ## Create .venv with the dependencies of the program.
	@$(PYTHON) -m tools.setup runtime

install-dev: ## Create .venv with the dependencies of the program and of its development.
	@$(PYTHON) -m tools.setup dev

lock: ## Update requirements/*.lock from pyproject.toml; UPGRADE=1 uses the newest versions.
	@$(PYTHON) -m tools.lock $(if $(UPGRADE),--upgrade)

clean: ## Remove the environment, caches and builds; the archive is not deleted.
	rm -rf .venv .cache build dist src/webstrata/web/static/vendor src/webstrata/web/replay_static/vendor
	rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find $(CODE) -name __pycache__ -type d -prune -exec rm -rf {} +
