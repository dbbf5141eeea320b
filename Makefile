# The commands that README and CI use; `make help` lists them.
# Another Python or environment: make play PYTHON=python3.12 VENV=.venv312
# Tests one after the other, to debug: make test ARGS=-n0

VENV ?= .venv
GAME ?= abalone
ARGS ?=

ifeq ($(OS),Windows_NT)
PYTHON ?= python
BIN := $(VENV)/Scripts
else
PYTHON ?= python3
BIN := $(VENV)/bin
endif

PLUGINS := abalone connect4 hexifence
TYPED := boardgames $(foreach name,$(PLUGINS) tictactoe,plugins/$(name)/boardgames_$(name)) \
	$(if $(wildcard examples/*/*.py examples/*/*/*.py),examples) tests bench
DECLARED := constraints.txt pyproject.toml $(foreach name,$(PLUGINS),plugins/$(name)/pyproject.toml)
EDITABLE := $(foreach name,$(PLUGINS),-e plugins/$(name))
SIDE_BY_SIDE := --numprocesses=auto --maxprocesses=4 --dist=worksteal
PYTEST := $(BIN)/python -m pytest $(SIDE_BY_SIDE)
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# the backends that build the packages are held to the same versions
export PIP_CONSTRAINT := constraints.txt
export PIP_BUILD_CONSTRAINT := constraints.txt

# without bytecode every process that a test starts would compile the sources again
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help play test plain check lint types contracts coverage slow docs pictures format clean
.DEFAULT_GOAL := help

help:
	@echo make play ...... install what is needed and play GAME, abalone by default
	@echo make test ...... run every test that is not marked slow
	@echo make plain ..... run the tests that are quick without compilation, as coverage does
	@echo make check ..... run lint, types, contracts, docs, coverage of kernels, slow tests
	@echo make docs ...... build the documentation in build/docs
	@echo make pictures .. draw the pictures on the pages of the games
	@echo make format .... lay the sources out as the checks want them
	@echo make clean ..... remove the environments of Python and npm

play: $(VENV)/for-play
	$(BIN)/boardgames play $(GAME) $(ARGS)
ifneq ($(OS),Windows_NT)
	@echo
	@echo 'To call it "bg play $(GAME)" at the prompt, run: $(BIN)/boardgames shell-init --install'
endif

test: $(VENV)/for-check
	$(PYTEST) $(ARGS)

plain: export NUMBA_DISABLE_JIT = 1
plain: $(VENV)/for-check
	$(PYTEST) -m "plain and not slow" tests $(ARGS)

check: lint types contracts docs coverage slow

lint: $(VENV)/for-check node_modules/for-check
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	npm run --silent lint

types: $(VENV)/for-check
	$(BIN)/mypy $(TYPED)

contracts: $(VENV)/for-check
	$(BIN)/lint-imports

coverage: export NUMBA_DISABLE_JIT = 1
coverage: $(VENV)/for-check
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest $(SIDE_BY_SIDE) -m "plain and not slow" tests
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

slow: $(VENV)/for-check
	$(PYTEST) -m slow tests $(ARGS)

docs: $(VENV)/for-check
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet docs build/docs

# the command of each picture is in a comment beside it
pictures: $(VENV)/for-play
	grep -hoE 'boardgames show .* --svg docs/images/[a-z0-9-]+\.svg' plugins/*/README.md | PATH="$(BIN):$$PATH" sh -e

format: $(VENV)/for-check
	$(BIN)/ruff check --fix --select I
	$(BIN)/ruff format

clean:
	$(PYTHON) -c "import shutil; [shutil.rmtree(folder, ignore_errors=True) for folder in ('$(VENV)', 'node_modules')]"

ifneq ($(wildcard bench/run.py),)
.PHONY: bench
bench: $(VENV)/for-check
	-$(INSTALL) -e ".[bench]"
	$(BIN)/python bench/run.py $(ARGS)
endif

$(VENV)/for-play: $(DECLARED)
	@$(PYTHON) -c "import sys; v = sys.version_info; sys.exit('Python 3.11 or newer is needed, but $(PYTHON) is %d.%d; name another one: make PYTHON=python3.12' % v[:2] if v < (3, 11) else 0)"
	@$(PYTHON) -c "import importlib.util as u, sys; m = [n for n in ('venv', 'ensurepip') if u.find_spec(n) is None]; sys.exit('the module %s of Python is missing; on Debian and Ubuntu: apt install python3-venv' % m[0] if m else 0)"
	$(PYTHON) -m venv $(VENV)
	@echo 'installing the framework and its games, which takes one or two minutes'
	$(INSTALL) -e . $(EDITABLE)
	@$(BIN)/python -c "import pathlib; pathlib.Path('$@').touch()"

$(VENV)/for-check: $(VENV)/for-play
	$(INSTALL) -e ".[check]" $(EDITABLE)
	@$(BIN)/python -c "import pathlib; pathlib.Path('$@').touch()"

node_modules/for-check: package.json package-lock.json
	@$(PYTHON) -c "import shutil, sys; sys.exit(None if shutil.which('npm') else 'npm is missing, which the checks of the page need, with Node.js 18.18 or newer; on Debian and Ubuntu: apt install npm')"
	npm ci --loglevel=error
	@$(PYTHON) -c "import pathlib; pathlib.Path('$@').touch()"
