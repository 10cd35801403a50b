# bloom: LevelDB's Bloom filter, hash and CRC-32C in SQL. `make help` lists the
# targets; those that need more than SQLite are in tests/*.mk and tests/*/*.mk.

PREFIX ?= /usr/local
SQLITE3 ?= sqlite3
LIBSQLITE3 ?= -lsqlite3
PROVE ?= prove
# How many tests run at a time.
JOBS ?= $(shell getconf _NPROCESSORS_ONLN)

# The folders for what is built. Each variant (another compiler, sanitizers) has
# its own.
BUILD ?= build
DIST ?= dist

# V=1 shows every command.
ifndef V
.SILENT:
endif

# What a target says at its end. `make -s` says nothing.
SAY = $(if $(findstring s,$(firstword -$(MAKEFLAGS))),:,printf '%s\n')

# gcc writes the folder into what it builds, by this name even if it is a link.
export PWD := $(CURDIR)

# Tests read these from their environment.
export BUILD DIST SQLITE3 CC PROVE

WARNINGS = -Wall -Wextra -Wconversion -Wshadow
MACHINE := $(shell $(CC) -dumpmachine)
ifneq (,$(findstring mingw,$(MACHINE)))
  EXTENSION = bloom.dll
else ifneq (,$(findstring darwin,$(MACHINE)))
  EXTENSION = bloom.dylib
  PIC = -fPIC
  SHARED = -undefined dynamic_lookup
else
  EXTENSION = bloom.so
  PIC = -fPIC
  # The names of static libraries, such as the compiler's for coverage, are
  # hidden. The file stays mapped even if SQLite closes it after a load that
  # failed: see stay_mapped in ext/bloom_ext.c.
  SHARED = -Wl,--exclude-libs,ALL -Wl,-z,nodelete
endif

# On Linux, the extension is hardened by default, like the binaries of
# ext/packaging/package. If CFLAGS or LDFLAGS is set, as Debian does, it
# replaces all of these flags.
ifneq (,$(findstring linux,$(MACHINE)))
  CFLAGS ?= -O2 -g -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
  LDFLAGS ?= -Wl,-z,relro,-z,now
endif
CFLAGS ?= -O2 -g
COMPILE = $(CC) -std=c11 $(WARNINGS) $(CPPFLAGS) $(CFLAGS)

# A family may be a folder. ext/tools has programs of its own.
CORE = $(wildcard ext/core/*.c)
SOURCES = $(filter-out ext/tools/%,$(wildcard ext/*.c ext/*/*.c))
OBJECTS = $(SOURCES:%.c=$(BUILD)/%.o)
CORE_OBJECTS = $(CORE:%.c=$(BUILD)/%.o)

SQLITE_OF_HEADER = $$(printf '\#include <sqlite3.h>\nSQLITE_VERSION' | \
  $(CC) $(CPPFLAGS) -E -P - | tail -n 1 | tr -d '" ')
all: $(DIST)/$(EXTENSION) ## build the extension: dist/bloom.so (on a Mac .dylib, on Windows .dll)
ifeq (,$(filter-out all,$(MAKECMDGOALS)))
	$(SAY) "Built $(DIST)/$(EXTENSION) for SQLite 3.26 and later, with the header of \
	$(SQLITE_OF_HEADER)." | tr -d '\t'
	if $(HAS_SHELL); then $(SAY) 'To try it, type:' '  $(SQLITE3)' '  .load $(DIST)/bloom'; \
	  else $(SAY) '$(SHELL_MISSING)'; fi
endif

$(DIST)/$(EXTENSION): $(OBJECTS)
	@mkdir -p $(@D)
	$(CC) -shared $(SHARED) $(CFLAGS) $(LDFLAGS) -o $@ $(OBJECTS) -lm

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) $(PIC) -fvisibility=hidden -fdebug-prefix-map='$(CURDIR)'=. \
	  -MMD -MP -c -o $@ $<

# This file changes only when the compiler or its flags change. One line says what is
# missing, before each source says it.
HEADER_MISSING = sqlite3ext.h is missing. Install libsqlite3-dev (Debian, Ubuntu), \
  sqlite-devel (Fedora) or sqlite (Homebrew).
SHELL_MISSING = $(firstword $(SQLITE3)), the shell of SQLite, is missing. Install \
  sqlite3 (Debian, Ubuntu) or sqlite (Fedora, Homebrew).
HAS_SHELL = command -v $(firstword $(SQLITE3)) >/dev/null
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(COMPILE) $(LDFLAGS)' | cmp -s - $@ || { \
	  echo '#include <sqlite3ext.h>' | $(CC) $(CPPFLAGS) -E - >/dev/null 2>&1 || \
	    { echo '$(HEADER_MISSING)' >&2; exit 1; }; \
	  echo '$(COMPILE) $(LDFLAGS)' > $@; }

needs-shell:
	$(HAS_SHELL) || { echo '$(SHELL_MISSING)' >&2; exit 1; }

-include $(OBJECTS:.o=.d)

constants: ### write ext/core/crc32c_constants.h
	ext/tools/crc32c_constants > ext/core/crc32c_constants.h

templates: ### write ext/kept/templates.h
	ext/tools/templates > ext/kept/templates.h

version: ### change the version in every file that shows it (VERSION=)
	ext/tools/version $(VERSION)

# ---- Tests

TEST_COMPILE = $(COMPILE) -Iext -Itests
TEST_HEADERS = $(wildcard tests/lib/*.h)
CORE_TESTS = $(patsubst tests/core/%_test.c,$(BUILD)/tests/%_test, \
  $(wildcard tests/core/*_test.c))

$(BUILD)/tests/%_test: tests/core/%_test.c $(TEST_HEADERS) $(CORE_OBJECTS)
	@mkdir -p $(@D)
	$(TEST_COMPILE) -o $@ $< $(CORE_OBJECTS) $(LDFLAGS) -lm

# A test of the loadable extension's objects, with SQLite linked in.
$(BUILD)/tests/load_test: tests/load_test.c $(TEST_HEADERS) $(OBJECTS)
	@mkdir -p $(@D)
	$(TEST_COMPILE) -o $@ $< $(OBJECTS) $(LDFLAGS) $(LIBSQLITE3) -lm

# Programs with SQLite and the extension linked in.
LINKED = $(SOURCES:%.c=$(BUILD)/linked/%.o)
STATIC = $(BUILD)/tests/static_test $(BUILD)/tests/handle_test \
  $(BUILD)/tests/kept_test $(BUILD)/tests/forms_test
$(STATIC): $(BUILD)/tests/%: tests/%.c $(TEST_HEADERS) $(LINKED)
	@mkdir -p $(@D)
	$(TEST_COMPILE) -DSQLITE_CORE -o $@ $< $(LINKED) $(LDFLAGS) $(LIBSQLITE3) -lm

$(BUILD)/linked/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) -DSQLITE_CORE -MMD -MP -c -o $@ $<

# A program that counts the extension's work (tests/lib/work.h), but not its own.
COUNT_WORK = -fsanitize-coverage=trace-pc
COUNTED = $(SOURCES:%.c=$(BUILD)/counted/%.o)
$(BUILD)/tests/work_test: tests/work_test.c $(TEST_HEADERS) $(COUNTED)
	@mkdir -p $(@D)
	$(TEST_COMPILE) -DSQLITE_CORE -o $@ $< $(COUNTED) $(LDFLAGS) $(LIBSQLITE3) -lm

$(BUILD)/counted/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) -DSQLITE_CORE $(COUNT_WORK) -MMD -MP -c -o $@ $<

-include $(LINKED:.o=.d) $(COUNTED:.o=.d)

# Programs with SQLite linked in, which load the extension.
LOADING = $(BUILD)/tests/dlopen_test $(BUILD)/tests/shapes_test
$(LOADING): $(BUILD)/tests/%: tests/%.c $(TEST_HEADERS) $(BUILD)/flags | $(DIST)/$(EXTENSION)
	@mkdir -p $(@D)
	$(TEST_COMPILE) -o $@ $< $(LDFLAGS) $(LIBSQLITE3) -ldl

# A test of SQLite's work rather than the extension's, with the SQL of a benchmark.
ADVICE = $(BUILD)/tests/advice_test
$(ADVICE): tests/advice_test.c $(TEST_HEADERS) \
    $(BUILD)/bench/advice.o $(BUILD)/bench/bench_sql.o $(BUILD)/bench/bench.o
	@mkdir -p $(@D)
	$(TEST_COMPILE) -o $@ $(filter %.c %.o,$^) $(LDFLAGS) $(LIBSQLITE3) -lm

# CORE_TESTS are linked without a SQLite library, the others with one.
PROGRAMS = $(CORE_TESTS) $(BUILD)/tests/load_test $(STATIC) \
  $(BUILD)/tests/work_test $(LOADING)
RECIPES = $(filter-out sql/leveldb_sample% sql/leveldb_folder.sql, \
  $(sort $(wildcard sql/*.sql)))

# These tests are about the sources, or build them with flags of their own: what
# is in BUILD does not matter to them.
OF_SOURCES = $(addprefix tests/,amalgamation.t bench_pages.t constants.t \
  pages.t structure.t tools/run.t)
OF_BUILD = $(PROGRAMS) $(sort $(filter-out $(OF_SOURCES), \
  $(wildcard tests/*.t tests/sql/*.sql))) \
  $(RECIPES) README.md sql/functions.md sql/kept.md sql/lost_rows.md
# Sessions of queries in which SQLite decides more than the extension does: they take no
# line of ext/ that no other test takes, so only `make test` runs them.
OF_QUERIES = $(sort $(wildcard tests/queries/*.sql))
# The tests that name a mistake speak first, those of units before those of SQL. The last
# ones may say only that there is one, or that mutation.txt lacks a line.
LAST = tests/amalgamation.t tests/structure.t
TESTS = $(OF_BUILD) $(ADVICE) $(OF_QUERIES) $(filter-out $(LAST),$(OF_SOURCES)) $(LAST)

portable: $(CORE_TESTS)
programs: $(PROGRAMS) $(ADVICE)

test: needs-shell all programs ## run all tests (OMIT=README.md: without these)
	$(PROVE) -j$(JOBS) --exec tests/tools/run $(filter-out $(OMIT),$(TESTS))

CUSTOMERS ?= 1000000
demo: needs-shell all ## time a join of 3 million rows with and without a filter (CUSTOMERS=)
	$(SAY) 'A join of a log with a list, with a filter and without: see sql/join.sql.' \
	  'It takes a minute or two, and 180 MB in the folder for temporary files.'
	@$(SQLITE3) -cmd ".parameter set :customers $(CUSTOMERS)" < sql/join.sql

include tests/checks.mk tests/interop/interop.mk tests/bench/bench.mk

# ---- Packages, and the rest

amalgamation: ## write the extension as one source file: dist/bloom.c, dist/bloom.h
	ext/tools/amalgamate $(DIST)

dist: ## build archives for every compiler here, and packages: deb, go, npm, python, ruby, rust, sqlpkg
	PATH="$(CURDIR)/build/interop/bin:$$PATH" ext/packaging/package $(DIST)

release-check: ### say what stands in the way of a release of what is in dist (TAG=)
	ext/packaging/check_release $(DIST) $(TAG)

publish: ### publish what is in dist (TO=forge, npm, pypi, gem, crate or go)
	ext/packaging/publish $(DIST) $(TO)

tools: ### install what tests and packages need
	tests/tools/install

ci: ### run what CI runs (STEPS=)
	.ci/run $(STEPS)

nightly: ### run steps of CI without what shortens them (STEPS=fuzz, SHARE=1/1)
	SHARE=$(or $(SHARE),1/1) .ci/run $(STEPS)

test-archive: ### run the SQL tests with the extension of an archive in dist (PLATFORM=)
	rm -rf $(BUILD)/archive
	mkdir -p $(BUILD)/archive
	tar -xzf $(DIST)/bloom-*-$(PLATFORM).tar.gz -C $(BUILD)/archive --strip-components 1
	DIST=$(BUILD)/archive $(PROVE) -j$(JOBS) --exec tests/tools/run \
	  $(sort $(wildcard tests/sql/*.sql))

wasm: $(DIST)/wasm/index.html ## build SQLite with the extension for browsers, and a page: dist/wasm
	$(SAY) 'Built $(DIST)/wasm. To open its page, type:' \
	  '  python3 -m http.server --directory $(DIST)/wasm' \
	  'and open http://localhost:8000 in a browser.'

$(DIST)/wasm/index.html: $(wildcard ext/packaging/wasm/* ext/*.[ch] \
  ext/*/*.[ch] ext/packaging/*.md ext/packaging/archive/* sql/*)
	ext/packaging/wasm/build $(DIST)

install: all ## copy the extension to PREFIX/lib (PREFIX=/usr/local, DESTDIR=)
	install -d -m 755 '$(DESTDIR)$(PREFIX)/lib'
	install -m 755 $(DIST)/$(EXTENSION) '$(DESTDIR)$(PREFIX)/lib/'
	$(SAY) 'Installed $(DESTDIR)$(PREFIX)/lib/$(EXTENSION). In the sqlite3 shell, type:' \
	  '  .load $(PREFIX)/lib/bloom'

FORMATTED = $(filter-out ext/core/crc32c_constants.h ext/kept/templates.h, \
  $(shell find ext tests -name '*.[ch]' -o -name '*.cc'))

format: ### format the C sources with clang-format
	clang-format -i $(FORMATTED)

# clang-format does not break comments and strings that are too long.
check-format: ### fail if clang-format would change a file, or a line is too long
	clang-format --dry-run -Werror $(FORMATTED)
	! grep -nE '.{81}' $(FORMATTED)

clean: ## remove what was built
	rm -rf $(BUILD) $(DIST)

# Two number signs before a line of help mark a target for users, three mark one
# for developers.
help: ## list the targets
	@echo 'To use it:'
	@awk -F ':.* ## ' '/^[a-z-]+:.* ## / \
	  { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo 'To change it:'
	@awk -F ':.* ### ' '/^[a-z-]+:.* ### / \
	  { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

FORCE:
.PHONY: all needs-shell constants templates version portable programs test demo amalgamation \
  dist release-check publish tools ci nightly test-archive wasm install format check-format clean help FORCE $(CHECKS) $(INTEROP) $(BENCHMARKS)
