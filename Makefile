# Everything a person needs; `make help` lists it. The environment lives in .venv and is made when needed.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
QUIET := TF_CPP_MIN_LOG_LEVEL=3
TFJS := tests/interchange/node_modules/.installed
# `make test` runs so many suites at once: one for each core, and not more, for workers on Ray take what is left over; at
# least two and at most five, for one may take several gigabytes of memory.
JOBS ?= $(shell n=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2); [ $$n -lt 2 ] && n=2; [ $$n -gt 5 ] && n=5; echo $$n)
# What a suite says stays in one piece, with a make that can do that (macOS brings an older one).
SYNC := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
# Those that take longest begin first, so that no core is idle at the end.
SUITES := test-ray-workers test-rl-torch test-rl-tensorflow test-rl-jax test-jax test-ray-learners test-docs test-cli \
	test-tensorflow test-lessons test-interop test-watch test-sweep test-view test-pages test-ray-jax test-ray-tensorflow \
	test-interchange-jax test-interchange-torch test-interchange-tensorflow test-contracts test-torch test-package test-rl \
	test-keras-torch

.DEFAULT_GOAL := help
.PHONY: help setup demo test suites check $(SUITES) test-ray test-rl-backends test-interchange test-rl-long test-tf-agents test-wheel \
	bench learning speed tables docs test-docs-long coverage clean

# Every suite computes on one core: two that run side by side would else fight for them.
test-%: export OMP_NUM_THREADS := 1
test-%: export TF_NUM_INTRAOP_THREADS := 1
# What XLA compiles here is small, and runs a few times: optimizing it would take longer. So does to fuse operations by
# way of MLIR, and to cut a module into parts for many threads. Lessons and docs compile as everybody does.
XLA_QUICKLY := --xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1
test-jax test-rl-jax test-interop: export JAX_DISABLE_MOST_OPTIMIZATIONS := 1
test-jax test-rl-jax test-interop: export XLA_FLAGS := $(XLA_QUICKLY)
test-rl-tensorflow test-rl-torch: export XLA_FLAGS := $(XLA_QUICKLY)
# The same as JAX_DISABLE_MOST_OPTIMIZATIONS, for TensorFlow.
XLA_PLAINLY := --xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true

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

demo: $(STAMP) ## explain a broken port of the snake DQN, run the fixed one, train a Snake for two minutes
	@sh examples/demo.sh $(BIN)

check: $(STAMP) ## the fast inner loop: ruff, types, import contracts, tests that need no framework
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m pytest -q tests/flow tests/report tests/test_imports.py --ignore tests/report/test_report_browser.py

test: check ## everything: the above, and the real frameworks; as many suites at once as there are cores (JOBS=1: one)
	@# Hundreds of processes follow: where none may keep its bytecode (PYTHONDONTWRITEBYTECODE), each would compile whygrad.
	@$(BIN)/python -m compileall -q src
	@echo "$(words $(SUITES)) suites, $(JOBS) at a time; what one says comes when it has ended"
	+@$(MAKE) --no-print-directory --jobs=$(JOBS) --keep-going $(SYNC) suites

suites: $(SUITES)

test-cli: $(STAMP) ## tests of the command line, in processes of their own
	$(QUIET) $(BIN)/python -m pytest -q tests/cli tests/report/test_report_browser.py

test-pages: $(STAMP) ## run every example of every rule's manual page, in all three frameworks
	$(QUIET) $(BIN)/python -m pytest -q tests/rules

test-torch: $(STAMP) ## tests on PyTorch
	$(BIN)/python -m pytest -q tests/torch

test-tensorflow: $(STAMP) ## tests on TensorFlow with Keras 3
	$(QUIET) $(BIN)/python -m pytest -q tests/tensorflow

test-jax: $(STAMP) ## tests on JAX with Flax, Optax and Equinox
	$(BIN)/python -m pytest -q tests/jax

test-keras-torch: $(STAMP) ## tests of Keras 3 on the PyTorch backend
	KERAS_BACKEND=torch $(QUIET) $(BIN)/python -m pytest -q tests/keras_torch

test-contracts: $(STAMP) ## tests of declared contracts, one process per framework
	$(BIN)/python -m pytest -q tests/contracts/test_torch_contracts.py
	$(QUIET) $(BIN)/python -m pytest -q tests/contracts/test_tensorflow_contracts.py
	$(BIN)/python -m pytest -q tests/contracts/test_jax_contracts.py

test-interop: $(STAMP) ## tests of the pytest plugin and the callbacks, against the real libraries
	$(QUIET) $(BIN)/python -m pytest -q tests/interop

$(TFJS): tests/interchange/package-lock.json
	@if command -v npm >/dev/null; then \
	  (cd tests/interchange && npm ci --ignore-scripts --no-audit --no-fund --silent) && touch $(TFJS) || \
	  echo "TF.js could not be installed: tests against it are skipped"; \
	else echo "npm is not installed: tests against TF.js are skipped"; fi

test-interchange: test-interchange-torch test-interchange-tensorflow test-interchange-jax ## tests of TF.js, ONNX and Keras files, against the real ones; what makes a difference on three backends

test-interchange-torch: $(STAMP) $(TFJS)
	KERAS_BACKEND=torch $(QUIET) $(BIN)/python -m pytest -q tests/interchange

test-interchange-tensorflow: $(STAMP) $(TFJS)
	KERAS_BACKEND=tensorflow $(QUIET) $(BIN)/python -m pytest -q tests/interchange/test_from_tfjs.py tests/interchange/test_to_tfjs.py

test-interchange-jax: $(STAMP) $(TFJS)
	KERAS_BACKEND=jax $(QUIET) $(BIN)/python -m pytest -q tests/interchange/test_from_tfjs.py tests/interchange/test_to_tfjs.py

test-watch: $(STAMP) ## tests of watching: what needs no framework, then one process for each of them
	$(BIN)/python -m pytest -q tests/watch --ignore tests/watch/torch --ignore tests/watch/tensorflow --ignore tests/watch/jax
	$(BIN)/python -m pytest -q tests/watch/torch
	$(QUIET) $(BIN)/python -m pytest -q tests/watch/tensorflow
	$(BIN)/python -m pytest -q tests/watch/jax

test-view: $(STAMP) ## tests of the page: its server, its answers, and the page itself in a real browser
	$(QUIET) $(BIN)/python -m pytest -q tests/view

test-rl: $(STAMP) ## tests of what RL does with arrays and files, without a framework
	$(BIN)/python -m pytest -q tests/rl

test-rl-backends: test-rl-torch test-rl-tensorflow test-rl-jax ## tests of the agents on PyTorch, TensorFlow and JAX, one process each; what takes long on one of them

test-rl-torch: $(STAMP)
	KERAS_BACKEND=torch $(QUIET) $(BIN)/python -m pytest -q tests/rl_backends

test-rl-tensorflow: $(STAMP)
	KERAS_BACKEND=tensorflow $(QUIET) XLA_FLAGS="$$XLA_FLAGS $(XLA_PLAINLY)" \
	  $(BIN)/python -m pytest -q tests/rl_backends --ignore tests/rl_backends/test_pictures.py
	@# Convolutions that XLA has not optimized take minutes.
	KERAS_BACKEND=tensorflow $(QUIET) $(BIN)/python -m pytest -q tests/rl_backends/test_pictures.py

test-rl-jax: $(STAMP)
	KERAS_BACKEND=jax $(QUIET) $(BIN)/python -m pytest -q tests/rl_backends

test-rl-long: $(STAMP) ## the rest of the above on TensorFlow and JAX: probes, moves between backends, pictures
	KERAS_BACKEND=tensorflow $(QUIET) $(BIN)/python -m pytest -q tests/rl_backends --everywhere -m once
	KERAS_BACKEND=jax $(QUIET) $(BIN)/python -m pytest -q tests/rl_backends --everywhere -m once

test-ray: test-ray-workers test-ray-learners test-ray-jax test-ray-tensorflow ## tests of workers and learners on Ray, with faults; that one worker changes nothing on every backend

test-ray-workers: $(STAMP)
	KERAS_BACKEND=torch $(QUIET) $(BIN)/python -m pytest -q tests/ray/test_workers.py

test-ray-learners: $(STAMP)
	KERAS_BACKEND=torch $(QUIET) $(BIN)/python -m pytest -q tests/ray --ignore tests/ray/test_workers.py

test-ray-jax: $(STAMP)
	KERAS_BACKEND=jax $(QUIET) $(BIN)/python -m pytest -q tests/ray/test_workers.py -k one_worker

test-ray-tensorflow: $(STAMP)
	KERAS_BACKEND=tensorflow $(QUIET) $(BIN)/python -m pytest -q tests/ray/test_workers.py -k one_worker

test-sweep: $(STAMP) ## tests of sweeps on Ray Tune: what is swept, early stopping, a kill in the middle
	KERAS_BACKEND=torch $(QUIET) $(BIN)/python -m pytest -q tests/sweep

test-lessons: $(STAMP) ## run every lesson and compare what it prints with what its text says
	$(QUIET) $(BIN)/python -m pytest -q tests/lessons

test-docs: $(STAMP) ## run the blocks of README and docs, check every link and table, build the site
	$(BIN)/python -m pytest -q tests/docs

test-docs-long: $(STAMP) ## the same with the blocks that train for minutes
	WHYGRAD_SLOW_DOCS=1 $(BIN)/python -m pytest -q tests/docs/test_pages.py

docs: $(STAMP) ## build the site in build/docs/html, without a network; a warning or a bad link is an error
	$(QUIET) $(BIN)/python docs/site/build.py

tables: $(STAMP) ## write the tables of measured figures anew, from benchmarks/*.json
	$(BIN)/python docs/site/tables.py

test-package: $(STAMP) ## build the wheel and use it where nothing else is installed; files for citing and for reports of faults
	$(BIN)/python -m pytest -q tests/wheel --ignore tests/wheel/test_extras.py

test-wheel: $(STAMP) ## install the wheel with each extra alone, with all, and with the oldest versions, and use it (downloads gigabytes)
	$(QUIET) $(BIN)/python -m pytest -v tests/wheel

test-tf-agents: ## tests on TensorFlow 2.15 with Keras 2 and TF-Agents, in an environment of its own
	test -e .venv-tf-agents/.installed || { \
	  $(PYTHON) -m venv .venv-tf-agents && \
	  .venv-tf-agents/bin/pip install --quiet "tensorflow-cpu==2.15.1" "tf-keras==2.15.1" "tf-agents==0.19.0" "pytest==9.*" "pytest-timeout==2.*" && \
	  .venv-tf-agents/bin/pip install --quiet --no-deps --editable . && touch .venv-tf-agents/.installed; }
	TF_USE_LEGACY_KERAS=1 $(QUIET) .venv-tf-agents/bin/python -m pytest -q tests/tf_agents

bench: $(STAMP) ## measure what tracing costs, beside the peers (benchmarks/)
	$(QUIET) $(BIN)/python benchmarks/overhead.py

learning: $(STAMP) ## train every agent on every backend from three seeds and write down the returns (hours; benchmarks/)
	$(BIN)/python benchmarks/learning.py --out benchmarks/learning.json
	$(BIN)/python benchmarks/offline.py

speed: $(STAMP) ## steps per second of whole trainings, beside Stable-Baselines3 and SBX (benchmarks/)
	$(BIN)/python benchmarks/rl_speed.py --out benchmarks/rl_speed.json

coverage: $(STAMP) ## the share of the code that the tests run
	rm -f .coverage .coverage.*
	$(BIN)/coverage run -m pytest -q tests/flow tests/report
	$(BIN)/coverage run -m pytest -q tests/torch
	$(QUIET) $(BIN)/coverage run -m pytest -q tests/tensorflow
	$(BIN)/coverage combine -q && $(BIN)/coverage report

clean: ## remove the environments and what tests leave behind
	rm -rf $(VENV) .venv-tf-agents tests/interchange/node_modules .pytest_cache .mypy_cache .ruff_cache .coverage .coverage.* build dist
