# bloom: LevelDB's Bloom filter, hash and CRC32C in SQL. `make help` lists what
# can be made.

CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
SQLITE3 ?= sqlite3
PROVE ?= prove

# Where things are built; a variant (another compiler, sanitizers) takes its own.
BUILD ?= build
DIST ?= dist

WARNINGS = -Wall -Wextra -Wconversion -Wshadow
MACHINE := $(shell $(CC) -dumpmachine)
ifneq (,$(findstring mingw,$(MACHINE)))
  EXTENSION = bloom.dll
else ifneq (,$(findstring darwin,$(MACHINE)))
  EXTENSION = bloom.dylib
  PIC = -fPIC
  UNDEFINED = -undefined dynamic_lookup
else
  EXTENSION = bloom.so
  PIC = -fPIC
endif
COMPILE = $(CC) -std=c11 $(WARNINGS) $(CPPFLAGS) $(CFLAGS)

CORE = $(wildcard ext/core/*.c)
SOURCES = $(wildcard ext/*.c) $(CORE)
OBJECTS = $(SOURCES:%.c=$(BUILD)/%.o)
CORE_OBJECTS = $(CORE:%.c=$(BUILD)/%.o)

all: $(DIST)/$(EXTENSION) ## build the extension: dist/bloom.so (.dylib, .dll)

$(DIST)/$(EXTENSION): $(OBJECTS)
	@mkdir -p $(@D)
	$(CC) -shared $(UNDEFINED) $(CFLAGS) $(LDFLAGS) -o $@ $(OBJECTS) -lm

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) $(PIC) -fvisibility=hidden -MMD -MP -c -o $@ $<

# Changes when the compiler or its flags do, and only then.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(COMPILE) $(LDFLAGS)' | cmp -s - $@ || \
	  echo '$(COMPILE) $(LDFLAGS)' > $@

-include $(OBJECTS:.o=.d)

# ---- Tests

CORE_TESTS = $(patsubst tests/core/%_test.c,$(BUILD)/tests/%_test, \
  $(wildcard tests/core/*_test.c))

$(BUILD)/tests/%_test: tests/core/%_test.c $(wildcard tests/core/*.h) \
  $(CORE_OBJECTS)
	@mkdir -p $(@D)
	$(COMPILE) -Iext -o $@ $< $(CORE_OBJECTS) $(LDFLAGS) -lm

$(BUILD)/tests/crc32c_constants: tests/core/crc32c_constants.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) -o $@ $< $(LDFLAGS)

constants: $(BUILD)/tests/crc32c_constants ## write ext/core/crc32c_constants.h
	$< > ext/core/crc32c_constants.h

# The loadable extension's objects, under a SQLite that the test plays.
$(BUILD)/tests/load_test: tests/load_test.c tests/core/tap.h $(OBJECTS)
	@mkdir -p $(@D)
	$(COMPILE) -Iext -Itests/core -o $@ $< $(OBJECTS) $(LDFLAGS) -lm

# A program with SQLite and the extension linked in; without a SQLite to link
# to, one that says so.
$(BUILD)/tests/static_test: tests/static_test.c tests/core/tap.h $(OBJECTS)
	@mkdir -p $(@D)
	@if echo 'int main(void) { return 0; }' | \
	  $(COMPILE) -o $@ -xc - $(LDFLAGS) -lsqlite3 2>/dev/null; then \
	  set -x; $(COMPILE) -DSQLITE_CORE -Iext -Itests/core -o $@ $< $(SOURCES) \
	    $(LDFLAGS) -lsqlite3 -lm; \
	else \
	  printf '#!/bin/sh\necho "1..0 # SKIP no libsqlite3 to link to"\n' > $@; \
	  chmod +x $@; fi

PROGRAMS = $(CORE_TESTS) $(BUILD)/tests/load_test $(BUILD)/tests/static_test

TESTS = $(PROGRAMS) $(sort $(wildcard tests/*.t tests/sql/*.sql)) \
  $(sort $(wildcard sql/*.sql)) README.md

test: all $(PROGRAMS) $(BUILD)/tests/crc32c_constants ## run all tests
	BUILD=$(BUILD) DIST=$(DIST) SQLITE3='$(SQLITE3)' CC='$(CC)' \
	  $(PROVE) --exec tests/run $(TESTS)

# ---- Demo

CUSTOMERS ?= 1000000

demo: all ## sql/join.sql on 3 million rows: plain and filtered, both times
	@$(SQLITE3) -cmd ".parameter set :customers $(CUSTOMERS)" < sql/join.sql

.PHONY: demo

# ---- Trust

# Drivers that are linked to libsqlite3 and load the extension.
$(BUILD)/tests/faults/threads: $(CORE_OBJECTS)
$(BUILD)/tests/faults/%: tests/faults/%.c tests/faults/sql.h tests/core/tap.h \
    $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) -Iext -o $@ $(filter %.c %.o,$^) $(LDFLAGS) -lsqlite3 -pthread -lm

memory: all $(BUILD)/tests/faults/memory ## each allocation fails in turn
	DIST=$(DIST) $(PROVE) $(BUILD)/tests/faults/memory

# The shell is not built with sanitizers and needs their library beforehand.
SANITIZE = BUILD=build/sanitize DIST=build/sanitize/dist CFLAGS='-g -O1 \
  -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all'
sanitize: ## all tests under the address and undefined behaviour sanitizers
	$(MAKE) $(SANITIZE) SQLITE3='env \
	  LD_PRELOAD=$(shell $(CC) -print-file-name=libasan.so) $(SQLITE3)' test
	$(MAKE) $(SANITIZE) memory

THREADS = BUILD=build/threads DIST=build/threads/dist \
  CFLAGS='-g -O1 -fsanitize=thread'
threads: ## the core and SQL in several threads, under the thread sanitizer
	$(MAKE) $(THREADS) all build/threads/tests/faults/threads
	DIST=build/threads/dist $(PROVE) build/threads/tests/faults/threads

KEYS ?= 100000000
limits: all $(BUILD)/tests/faults/limits ## a build of 100 million keys, and its end
	DIST=$(DIST) $(PROVE) $(BUILD)/tests/faults/limits :: $(KEYS)

# Without one file: valgrind computes a long double as a double, by which SQLite
# itself takes other numbers for equal.
VALGRIND = valgrind -q --leak-check=full --keep-debuginfo=yes \
  --error-exitcode=99
valgrind: all programs ## all tests under valgrind, with leak checks
	BUILD=$(BUILD) DIST=$(DIST) EMULATOR='$(VALGRIND)' \
	  SQLITE3='$(VALGRIND) $(SQLITE3)' $(PROVE) --timer -j2 --exec tests/run \
	  $(filter-out %.t tests/sql/member.sql,$(TESTS))

# Kernels are chosen by what the processor has: other processors choose others.
COVERAGE = BUILD=build/coverage DIST=build/coverage/dist \
  CFLAGS='-g -O0 --coverage'
coverage: ## branches that the tests take, with a floor
	@mkdir -p build/coverage
	find build/coverage -name '*.gcda' -delete
	$(MAKE) $(COVERAGE) KEYS=10000000 test memory limits
	for cpu in qemu64 Nehalem Westmere; do \
	  $(PROVE) --exec "qemu-x86_64 -cpu $$cpu" build/coverage/tests/crc32c_test \
	    || exit 1; done
	tests/coverage build/coverage

# Shells of other versions, by the release of the npm package sqlite3 that has
# their source: 5.0.0 is SQLite 3.31.1, 6.0.1 is 3.52.0, 4.0.0 is 3.15.0.
SQL_TESTS = $(filter %.sql %.md,$(TESTS))
versions: all ## SQL tests on an old and a new SQLite
	for shell in '$(SQLITE3)' $$(tests/sqlite 5.0.0) $$(tests/sqlite 6.0.1); do \
	  BUILD=$(BUILD) DIST=$(DIST) SQLITE3="$$shell" \
	    $(PROVE) --exec tests/run tests/versions/flat_cost.t $(SQL_TESTS) || \
	      exit 1; done
	DIST=$(DIST) SQLITE3=$$(tests/sqlite 4.0.0) $(PROVE) tests/versions/too_old.t

SHARD ?= 1/1
mutation: ## planted faults, each of which a test must notice (SHARD=1/3)
	SQLITE3='$(SQLITE3)' CC='$(CC)' tests/mutation $(SHARD) $(PROGRAMS) \
	  $(SQL_TESTS) tests/constants.t $(BUILD)/tests/faults/memory

MACHINES = s390x aarch64 i386 musl windows qemu64 Nehalem
machines: $(MACHINES:%=machine-%) ## tests on other processors and systems
$(MACHINES:%=machine-%): machine-%:
	tests/machine $*

programs: $(PROGRAMS) $(BUILD)/tests/crc32c_constants

# libFuzzer is clang's. What it finds on the way stays in build/fuzz.
SECONDS ?= 60
FUZZ_BUILD = clang -std=c11 $(WARNINGS) -g -O1 -DSQLITE_CORE -Iext \
  -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
build/fuzz/core: $(CORE)
build/fuzz/sql: $(SOURCES)
build/fuzz/%: tests/fuzz/%.c tests/fuzz/input.h \
    $(wildcard ext/*.h ext/core/*.h)
	@mkdir -p $@.corpus
	$(FUZZ_BUILD) -o $@ $(filter %.c,$^) -lsqlite3 -lm

fuzz: fuzz-core fuzz-sql ## look for bytes that break it (SECONDS=60)
fuzz-core fuzz-sql: fuzz-%: build/fuzz/%
	$< -max_total_time=$(SECONDS) -timeout=20 -print_final_stats=1 \
	  -artifact_prefix=$<.found- $<.corpus tests/fuzz/corpus/$* 2>$<.log; \
	  code=$$?; grep -E 'ERROR|SUMMARY|written to|number_of_executed' $<.log; exit $$code

.PHONY: machines $(MACHINES:%=machine-%) programs
.PHONY: memory sanitize threads limits valgrind coverage versions mutation
.PHONY: fuzz fuzz-core fuzz-sql

# ---- Packages

amalgamation: ## the extension as one source file: dist/bloom.c, dist/bloom.h
	ext/amalgamate $(DIST)

dist: amalgamation ## archives for every compiler here, an npm package: dist/npm
	CC='$(CC)' ext/package $(DIST)

.PHONY: amalgamation dist

# ---- Interop

# A program with SQLite and the extension linked in.
$(BUILD)/interop/static: tests/interop/clients/static.c tests/core/tap.h \
    amalgamation
	@mkdir -p $(@D)
	$(COMPILE) -DSQLITE_CORE -I$(DIST) -Itests/core -o $@ $< $(DIST)/bloom.c \
	  $(LDFLAGS) -lsqlite3 -lm

# Programs against Debian's libleveldb-dev, made by the tests where it is there.
$(BUILD)/interop/leveldb_%: tests/interop/leveldb_%.cc $(CORE_OBJECTS)
	@mkdir -p $(@D)
	$(CXX) -std=c++17 -O2 -g $(WARNINGS) -Iext -Itests/core -o $@ $< \
	  $(CORE_OBJECTS) -lleveldb

INTEROP_TESTS = $(sort $(wildcard tests/interop/*.t) \
  $(filter-out %.c,$(wildcard tests/interop/clients/*))) $(BUILD)/interop/static

interop: all dist $(BUILD)/interop/static ## clients, LevelDB's files, replication
	PATH="$(CURDIR)/build/interop/bin:$$PATH" \
	NODE_PATH='$(CURDIR)/build/interop/node_modules' \
	BUILD=$(BUILD) DIST='$(abspath $(DIST))' SQLITE3='$(SQLITE3)' CC='$(CC)' \
	  $(PROVE) -j 2 --exec tests/run $(INTEROP_TESTS)

.PHONY: interop

# ---- Benchmarks

BENCH_OBJECTS = $(BUILD)/bench/bench.o $(BUILD)/bench/bench_sql.o
BENCH_NEWER = build/sqlite/6.0.1
BENCH_JSON ?= $(BUILD)/bench.json

$(BUILD)/bench/%.o: tests/bench/%.c $(wildcard tests/bench/*.h) $(BUILD)/flags
	@mkdir -p $(@D)
	$(COMPILE) -Iext -c -o $@ $<

$(BUILD)/bench/leveldb_peer.o: tests/bench/leveldb_peer.cc
	@mkdir -p $(@D)
	$(CXX) -O2 -c -o $@ $<

$(BUILD)/bench/core_bench: $(BUILD)/bench/core_bench.o \
    $(BUILD)/bench/leveldb_peer.o $(BUILD)/bench/bench.o $(CORE_OBJECTS)
	$(CXX) $(LDFLAGS) -o $@ $^ -lleveldb -lisal

$(BUILD)/bench/sql_bench $(BUILD)/bench/ssb_bench: %: %.o $(BENCH_OBJECTS)
	$(CC) $(LDFLAGS) -o $@ $^ -lsqlite3 -lm

# The same with the newest SQLite, whose own Bloom filter is the peer.
$(BUILD)/bench/sql_bench_newer: $(BUILD)/bench/sql_bench.o $(BENCH_OBJECTS) \
    $(BENCH_NEWER)/sqlite3.c
	$(CC) -O2 -w -DSQLITE_THREADSAFE=1 $(LDFLAGS) -o $@ $^ -lm -ldl -lpthread

bench-needs:
	@for need in leveldb/filter_policy.h:libleveldb-dev isa-l/crc.h:libisal-dev \
	  sqlite3.h:libsqlite3-dev; do \
	  echo "#include <$${need%:*}>" | $(CXX) -fsyntax-only -xc++ - 2>/dev/null || \
	    { echo "make bench needs g++ and Debian's $${need#*:}"; exit 1; }; done

BENCHES = $(BUILD)/bench/core_bench $(BUILD)/bench/sql_bench \
  $(BUILD)/bench/ssb_bench

bench: bench-needs all $(BENCHES) ## ours against the peers, side by side
	@rm -f $(BENCH_JSON)
	@export BENCH_JSON=$(BENCH_JSON); set -e; \
	  $(BUILD)/bench/core_bench; \
	  for part in tables large; do $(BUILD)/bench/sql_bench $(DIST)/bloom $$part; \
	  done; \
	  if [ -e $(BENCH_NEWER)/sqlite3.c ]; then \
	    $(MAKE) -s $(BUILD)/bench/sql_bench_newer && \
	    $(BUILD)/bench/sql_bench_newer $(DIST)/bloom own; \
	  else echo 'skip: SQLite 3.52, which `make versions` fetches'; fi; \
	  $(BUILD)/bench/ssb_bench $(DIST)/bloom
	@tests/bench/chart < $(BENCH_JSON) > $(BUILD)/match_rate.svg
	@echo; echo 'measures: $(BENCH_JSON), chart: $(BUILD)/match_rate.svg'

benches: bench-needs $(BENCHES)

.PHONY: bench benches bench-needs

# ---- The rest

install: all ## copy the extension to PREFIX/lib (PREFIX=/usr/local, DESTDIR=)
	mkdir -p '$(DESTDIR)$(PREFIX)/lib'
	install -m 755 $(DIST)/$(EXTENSION) '$(DESTDIR)$(PREFIX)/lib/'

format: ## format the C sources with clang-format
	clang-format -i $(FORMATTED)

check-format: ## fail where clang-format would change a file
	clang-format --dry-run -Werror $(FORMATTED)

FORMATTED = $(filter-out ext/core/crc32c_constants.h, \
  $(shell find ext tests -name '*.[ch]' -o -name '*.cc'))

clean: ## remove what was built
	rm -rf $(BUILD) $(DIST)

help: ## list what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' \
	  $(MAKEFILE_LIST)

FORCE:
.PHONY: all test constants install format check-format clean help FORCE
