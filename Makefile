PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := -m pip install --quiet --disable-pip-version-check --retries 10 --timeout 60
INSTALL := $(BIN)/python $(PIP)
ROOMS := actors companions generation memory protocol server storage
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate

.DELETE_ON_ERROR: # an environment that was begun and not finished is none

.PHONY: serve test lint types contracts unit evaluate kills soak bounds simulate audit lock clean

# With byte code a start takes half as long; it is made here also where the environment keeps Python from making it.
serve: $(VENV)/.run
	$(BIN)/python -m compileall -q $(ROOMS) || true
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
	$(BIN)/python -m pytest -n 2 --dist worksteal $(ARGS)

# How well messages are read, on the development sets: a table for each reader (docs/measures.md).
evaluate: $(VENV)/.test
	$(BIN)/python -m evaluation.tables
	for reader in crisis emotion topics repetition answers statements recall extract search; do \
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

# What is taken from elsewhere is of a known version and known bytes; then this project, which needs nothing more.
$(VENV)/.run: pyproject.toml requirements/run.txt | $(VENV)/bin/python
	$(INSTALL) --require-hashes -r requirements/run.txt
	$(INSTALL) --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/.test: pyproject.toml requirements/test.txt | $(VENV)/bin/python
	$(INSTALL) --require-hashes -r requirements/test.txt
	$(INSTALL) --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/.audit: requirements/audit.txt | $(VENV)/bin/python
	$(PYTHON) -m venv $(VENV)/audit
	$(VENV)/audit/bin/python $(PIP) --require-hashes -r requirements/audit.txt
	touch $@

# Whether a fault is known of what is taken from elsewhere; where nobody can be asked it says so.
audit: $(VENV)/.test $(VENV)/.audit
	$(VENV)/audit/bin/pip-audit --disable-pip --require-hashes -r requirements/test.txt --format json \
		--progress-spinner off --timeout 10 2>/dev/null | $(BIN)/python -m tests.audited

# Versions from constraints.txt, with the bytes of every platform's files, without an address.
lock: $(VENV)/bin/python
	$(INSTALL) uv
	$(LOCK) -c constraints.txt pyproject.toml requirements/build.in -o requirements/run.txt
	$(LOCK) -c constraints.txt pyproject.toml requirements/build.in --extra test -o requirements/test.txt
	$(LOCK) requirements/audit.in -o requirements/audit.txt

clean:
	rm -rf $(VENV)
