# A newcomer needs `make play` and `make test`. They build .venv from the lock files, and install nothing elsewhere, but
# for one thing: where there is no browser to test in, and one is root, Debian's.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check --no-input install --quiet --require-hashes

# Sizes of make bench: games in the lists, generated games, packs.
GAMES := 1000000
GENERATED := 10000
PACKS := 1000000
PEOPLE := 20000

.PHONY: help play manage test check format-check lint types contracts browser tests bench texts lock clean
.DELETE_ON_ERROR:
.NOTPARALLEL:

help:
	@echo "make play    install what is missing, then run the site here; Ctrl-C stops it (PORT=8001 for another port)"
	@echo "make manage  one of Django's commands for the running site: make manage ARGS=createsuperuser"
	@echo "make test    install what is missing, a browser as well, then run every check (CHROMIUM=/path/to/it names one)"
	@echo "make check   what needs no server and no browser: format, lint, types, import contracts, the pure tests"
	@echo "make tests   the tests alone, all of them or some: make tests ARGS=tests/games/rules"
	@echo "make bench   measure the rules engine, live tables under load, lists among a million games, and the CPU players"
	@echo "             (GAMES=20000 for fewer games in the lists; GENERATED=500, PACKS=20000, PEOPLE=2000 for fewer of those)"
	@echo "make texts   bring the Japanese catalogues up to the sources, and name what needs translating"
	@echo "make lock    write the lock files again after a change of the dependencies (UPGRADE=--upgrade for newer releases)"
	@echo "make clean   remove the environment and the caches; data in .data stays"

play: $(VENV)/.runtime
	@$(PY) manage.py play

# The servers of `make play` have no fixed address: it writes theirs down for its own account.
manage:
	@test -f .data/environment || { echo "The site is not running: start it with make play in another terminal." >&2; exit 1; }
	@set -a; . ./.data/environment; exec $(PY) manage.py $(ARGS)

# The checks, in the order in which they run; the first red one stops the run.
test: format-check lint types contracts tests

# What can be had in about a minute, before each commit.
check: format-check lint types contracts
	@echo "== pure tests"
	@$(PY) -m pytest -m "pure and not long" -n auto --maxprocesses 4 --dist worksteal $(ARGS)

format-check: $(VENV)/.dev
	@echo "== format"
	@$(PY) -m ruff format --check .

lint: $(VENV)/.dev
	@echo "== lint"
	@$(PY) -m ruff check .

types: $(VENV)/.dev
	@echo "== types"
	@$(PY) -m mypy

# Called through the interpreter, since installed scripts hold the folder they were installed in.
contracts: $(VENV)/.dev
	@echo "== import contracts"
	@$(PY) -c "from importlinter.cli import lint_imports_command as run; run(['--no-logo'])"

# It is looked for anew each time, since it may have come or gone.
browser: $(VENV)/.dev
	@echo "== browser"
	@$(PY) -m tests.browser.chromium

tests: $(VENV)/.dev browser
	@echo "== tests"
	@$(PY) -m pytest -n auto --maxprocesses 4 --dist worksteal --durations 10 $(ARGS)

bench: $(VENV)/.runtime
	@$(PY) -m tests.bench.rules
	@$(PY) -m tests.bench.tables
	@$(PY) -m tests.bench.playouts
	@$(PY) -m tests.bench.arena hearts expert normal 100
	@$(PY) -m tests.bench.turns
	@$(PY) -m tests.bench.folds --games $(GENERATED)
	@$(PY) -m tests.bench.packs --packs $(PACKS)
	@$(PY) -m tests.bench.histories --games $(GAMES)
	@$(PY) -m tests.bench.boards --people $(PEOPLE)

texts: $(VENV)/.runtime
	@$(PY) -m config.catalogues update

# A stamp is written last, so an interrupted installation starts afresh. A changed lock file rebuilds the whole
# environment: installing over it would leave packages that the lock no longer names.
$(VENV)/.runtime: config/requirements.lock
	@$(call make-venv)
	@echo "Installing the packages of $<"
	@$(call install,$<)
	@echo "Compiling what the CPU players need"
	@$(PY) -m games.cpu --warm
	@touch $@

$(VENV)/.dev: config/requirements-dev.lock config/requirements.lock
	@$(call make-venv)
	@echo "Installing the packages of $<"
	@$(call install,$<)
	@echo "Compiling what the CPU players need"
	@$(PY) -m games.cpu --warm
	@touch $(VENV)/.runtime $@

define make-venv
command -v $(PYTHON) >/dev/null || { echo "Python 3.11 or newer is needed; $(PYTHON) is not found. Name one: make PYTHON=/path/to/python3" >&2; exit 1; }; \
$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; $(PYTHON) is older. Name one: make PYTHON=/path/to/python3" >&2; exit 1; }; \
$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "Python's venv module is missing; on Debian and Ubuntu the package python3-venv brings it." >&2; exit 1; }; \
$(PYTHON) -m venv --clear $(VENV)
endef

# Pip says what is wrong in its last error, after whatever it has tried.
define install
$(PIP) -r $(1) 2>$(VENV)/pip.log || { echo "The packages of $(1) cannot be installed: \
$$(grep -i error $(VENV)/pip.log | tail -n 1 | sed 's/^ERROR: //') (see $(VENV)/pip.log)" >&2; exit 1; }
endef

# uv resolves for all platforms at once and writes hashes; it is needed for this alone, so it gets its own environment.
LOCK_VENV := .venv-lock
UV := $(LOCK_VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-header $(UPGRADE)

lock:
	@$(PYTHON) -m venv --clear $(LOCK_VENV)
	@$(LOCK_VENV)/bin/python -m pip --disable-pip-version-check --no-input install --quiet uv
	@$(UV) pyproject.toml -o config/requirements.lock
	@$(UV) pyproject.toml --group dev -c config/requirements.lock -o config/requirements-dev.lock
	@$(UV) --group node -o config/requirements-node.lock
	@rm -rf $(LOCK_VENV)

clean:
	@rm -rf $(VENV) $(LOCK_VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
