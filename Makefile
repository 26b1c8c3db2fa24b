# Everything a person needs; `make help` lists it. The environment lives in .venv and is made when needed.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
QUIET := TF_CPP_MIN_LOG_LEVEL=3

.DEFAULT_GOAL := help
.PHONY: help setup demo test check test-cli test-pages test-torch test-tensorflow test-keras-torch test-tf-agents \
	bench coverage clean

help: ## print this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(STAMP): pyproject.toml
	@command -v $(PYTHON) >/dev/null || { \
	  echo "$(PYTHON) is not installed; whygrad needs Python 3.11 or later (make PYTHON=python3 …)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet "torch==2.13.0"
	$(BIN)/pip install --quiet --editable ".[dev]"
	@touch $(STAMP)

setup: $(STAMP) ## make the environment (.venv) with everything the tests need

demo: $(STAMP) ## explain a broken port of the snake DQN, then run the fixed one
	@sh examples/demo.sh $(BIN)

check: $(STAMP) ## the fast inner loop: ruff, types, import contracts, tests that need no framework
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m pytest -q tests/flow tests/report tests/test_imports.py

test: check test-cli test-pages test-torch test-tensorflow test-keras-torch ## everything: the above, and the real frameworks

test-cli: $(STAMP) ## tests of the command line, in processes of their own
	$(QUIET) $(BIN)/python -m pytest -q tests/cli

test-pages: $(STAMP) ## run every example of every rule's manual page, in all three frameworks
	$(QUIET) $(BIN)/python -m pytest -q tests/rules

test-torch: $(STAMP) ## tests on PyTorch
	$(BIN)/python -m pytest -q tests/torch

test-tensorflow: $(STAMP) ## tests on TensorFlow with Keras 3
	$(QUIET) $(BIN)/python -m pytest -q tests/tensorflow

test-keras-torch: $(STAMP) ## tests of Keras 3 on the PyTorch backend
	KERAS_BACKEND=torch $(QUIET) $(BIN)/python -m pytest -q tests/keras_torch

test-tf-agents: ## tests on TensorFlow 2.15 with Keras 2 and TF-Agents, in an environment of its own
	test -e .venv-tf-agents/.installed || { \
	  $(PYTHON) -m venv .venv-tf-agents && \
	  .venv-tf-agents/bin/pip install --quiet "tensorflow-cpu==2.15.1" "tf-keras==2.15.1" "tf-agents==0.19.0" "pytest==9.*" "pytest-timeout==2.*" && \
	  .venv-tf-agents/bin/pip install --quiet --no-deps --editable . && touch .venv-tf-agents/.installed; }
	TF_USE_LEGACY_KERAS=1 $(QUIET) .venv-tf-agents/bin/python -m pytest -q tests/tf_agents

bench: $(STAMP) ## measure what tracing costs, beside the peers (benchmarks/)
	$(QUIET) $(BIN)/python benchmarks/overhead.py

coverage: $(STAMP) ## the share of the code that the tests run
	rm -f .coverage .coverage.*
	$(BIN)/coverage run -m pytest -q tests/flow tests/report
	$(BIN)/coverage run -m pytest -q tests/torch
	$(QUIET) $(BIN)/coverage run -m pytest -q tests/tensorflow
	$(BIN)/coverage combine -q && $(BIN)/coverage report

clean: ## remove the environments and what tests leave behind
	rm -rf $(VENV) .venv-tf-agents .pytest_cache .mypy_cache .ruff_cache .coverage .coverage.* build dist
