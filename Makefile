# make demo | test | lint | docs | judges | vendor: each sets up .venv with exactly what it needs, at the versions of constraints.txt.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt
# Two workers fill the two cores; more threads inside each would only compete.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2
DEMO   := examples/data/vertex-cover-20-50.npz

.PHONY: help demo test lint docs judges vendor browser clean

help:
	@echo "make demo   solve a shipped instance and print the certified answer"
	@echo "make test   lint, type-check and run every test"
	@echo "make lint   ruff and mypy only"
	@echo "make docs   run the code of README.md and docs/, check links, build the site in build/site/html"
	@echo "make judges run every judge at full size (an hour) and put their rows into the pages"
	@echo "make vendor renew the chart library that pages embed (needs npm)"
	@echo "make clean  remove .venv and caches"

demo: $(VENV)/demo.stamp
	$(BIN)/neurprise info $(DEMO)
	@echo "\nSix of the fifty scenarios, chosen by the shipped network; the proof is on all fifty:"
	$(BIN)/neurprise solve $(DEMO) --reducer neurprise --budget 6
	@echo "\nExact, until the gap is closed:"
	$(BIN)/neurprise solve $(DEMO)

# Compiled before the workers start, nothing is compiled by both.
test: lint browser
	$(BIN)/neurprise warm
	$(PYTEST)

# Pages are opened in a real browser: Debian's, where it can be installed; tests that need it are skipped elsewhere.
browser:
	@if ! command -v chromium >/dev/null && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	    echo "installing chromium for the tests of pages"; \
	    { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } >/dev/null 2>&1 \
	    || echo "chromium could not be installed; tests of pages are skipped"; fi

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/dev.stamp
	$(BIN)/python -m docs.check
	$(BIN)/python -m docs.site
	$(BIN)/python -m docs.web_links

# A finding is an error of its judge; the pages must show it too.
judges: $(VENV)/dev.stamp
	-$(BIN)/python -m experiments run crosscheck --count 10000 --medium 1500 --jobs 2
	-$(BIN)/python -m experiments run files --count 3000
	-$(BIN)/python -m experiments run fuzz --count 3000
	-$(BIN)/python -m experiments run objectives-judge --count 2000
	-$(BIN)/python -m experiments run soak
	$(BIN)/python -m docs.check --write docs/benchmarks.md docs/scaling.md

vendor: $(VENV)/dev.stamp
	$(BIN)/python -m docs.vendor

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/demo.stamp: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing neurprise and its solver into $(VENV); this takes a minute"
	@$(PIP) --editable .
	@echo "compiling the oracles and the network, once; this takes half a minute"
	@$(BIN)/neurprise warm > /dev/null
	@touch $@

$(VENV)/dev.stamp: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing neurprise with everything its tests need into $(VENV); this takes a few minutes"
	@$(PIP) --editable '.[dev]'
	@touch $@

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
