PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: serve test lint types contracts unit evaluate kills soak bounds simulate clean

serve: $(VENV)/.run
	$(BIN)/fireside serve $(ARGS)

test: lint types contracts unit

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test
	$(BIN)/mypy
	$(BIN)/basedpyright --pythonpath $(BIN)/python

contracts: $(VENV)/.test
	$(BIN)/lint-imports

unit: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 --dist loadfile $(ARGS)

# How well messages are read, on the development sets: a table for each reader (docs/measures.md).
evaluate: $(VENV)/.test
	for reader in crisis repetition answers statements recall extract search; do \
		echo "== $$reader"; $(BIN)/python -m evaluation.$$reader || exit 1; done

# What the faults of docs/reliability.md are tried with by hand: hours, not minutes.
kills: $(VENV)/.test
	$(BIN)/python -m loadtest.kills --kills $(or $(KILLS),1000) $(if $(SEED),--seed $(SEED)) $(ARGS)

bounds: $(VENV)/.test
	$(BIN)/python -m loadtest.bounds $(ARGS)

soak: $(VENV)/.test
	$(BIN)/python -m loadtest.soak --minutes $(or $(MINUTES),60) $(if $(SEED),--seed $(SEED)) $(ARGS)

simulate: $(VENV)/.test
	$(BIN)/python -m tests.simulation --hours $(or $(HOURS),1) $(if $(SEED),--seed $(SEED)) $(ARGS)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	touch $@

$(VENV)/.test: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test]'
	touch $@

clean:
	rm -rf $(VENV)
