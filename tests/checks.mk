# The checks besides `make test`: failing allocations, sanitizers, limits,
# random changes, other machines and other versions of SQLite. The Makefile
# includes it.

# Programs that are linked to libsqlite3 and load the extension.
$(BUILD)/tests/stress/threads $(BUILD)/tests/stress/rates: $(CORE_OBJECTS)
$(BUILD)/tests/stress/%: tests/stress/%.c $(TEST_HEADERS) $(BUILD)/flags | $(DIST)/$(EXTENSION)
	@mkdir -p $(@D)
	$(TEST_COMPILE) -o $@ $(filter %.c %.o,$^) $(LDFLAGS) $(LIBSQLITE3) -pthread -lm

STEP ?= 1
memory: all $(BUILD)/tests/stress/memory ### let each allocation fail in turn (STEP=3: each third)
	$(PROVE) --exec tests/tools/run $(BUILD)/tests/stress/memory :: $(STEP)

# The sanitizer of memory has to see all that sets it, so SQLite is built with it, too.
# tests/kept.t loads the extension into Python, which is not.
SANITIZE = BUILD=build/sanitize DIST=build/sanitize/dist CC=clang CFLAGS='-g1 -O1 \
  -fno-omit-frame-pointer -fsanitize=memory,undefined -fno-sanitize-recover=all -Werror'
sanitize: ### run all tests under the sanitizers of unset memory and of undefined behaviour
	sqlite=$(CURDIR)/$$(tests/tools/sqlite $(NEWEST) clang memory) && \
	  $(MAKE) $(SANITIZE) SQLITE3=$$sqlite LIBSQLITE3="$$sqlite.o -ldl -pthread" \
	  TESTS='$$(filter-out tests/kept.t,$$(OF_BUILD))' test memory

THREADS = BUILD=build/threads DIST=build/threads/dist \
  CFLAGS='-g -O1 -fsanitize=thread'
threads: ### run the core and SQL in several threads, under the thread sanitizer
	$(MAKE) $(THREADS) all build/threads/tests/stress/threads
	DIST=build/threads/dist $(PROVE) build/threads/tests/stress/threads

# The versions of SQLite that are tested besides the system's.
NEWEST = 3.54.1
OTHERS = 3.26.0 3.31.1 3.52.0 $(NEWEST)

# Functions can see an interrupt since SQLite 3.41.
NEWER = $$(tests/tools/sqlite --source 3.52.0)
$(BUILD)/tests/stress/interrupt: tests/stress/interrupt.c $(TEST_HEADERS) \
    $(OBJECTS)
	@mkdir -p $(@D)
	$(TEST_COMPILE) -DSQLITE_CORE -I$(NEWER) -c -o $@.o $<
	$(TEST_COMPILE) -DSQLITE_CORE -I$(NEWER) $(COUNT_WORK) -o $@ $@.o \
	  $(SOURCES) $$(tests/tools/sqlite --object 3.52.0) $(LDFLAGS) \
	  -pthread -ldl -lm

KEYS ?= 100000000
INTERRUPTED_KEYS ?= 2000000
LIMITS = $(BUILD)/tests/stress/limits $(BUILD)/tests/stress/interrupt
limits: all $(LIMITS) ### build filters of up to 100 million keys, and stop builds (KEYS=)
	$(PROVE) $(BUILD)/tests/stress/limits :: $(KEYS)
	$(PROVE) $(BUILD)/tests/stress/interrupt :: $(INTERRUPTED_KEYS)

RATE_KEYS ?= 100000000
rates: $(BUILD)/tests/stress/rates ### compare planned false positive rates with measured ones (RATE_KEYS=)
	$(PROVE) $< :: $(RATE_KEYS)

# PROGRAM is linked with the system's SQLite, and PROGRAM-VERSION-VARIANT with
# the one that tests/tools/sqlite builds from these.
WITH_VERSION = $(TEST_COMPILE) -o $@ $< \
  $$(tests/tools/sqlite --object $(subst -, cc ,$*)) \
  $(LDFLAGS) -pthread -ldl -lm

# A test, linked with that SQLite and with the extension, compiled with its header.
LINK_VERSION = $(TEST_COMPILE) -DSQLITE_CORE \
  -I$$(tests/tools/sqlite --source $(subst -, cc ,$*)) -o $@ $(filter %.c %.o,$^) \
  $$(tests/tools/sqlite --object $(subst -, cc ,$*)) $(LDFLAGS) -pthread -ldl -lm

.PRECIOUS: $(BUILD)/linked/bloom-%.o
$(BUILD)/linked/bloom-%.o: $(OBJECTS)
	@mkdir -p $(@D)
	$(COMPILE) -DSQLITE_CORE -I$$(tests/tools/sqlite --source $(subst -, cc ,$*)) \
	  -r -o $@ $(SOURCES)

OPERATIONS ?= 30000
SEED ?= 1
# An extension whose parts have room for a few keys.
SMALL = $(BUILD)/small/bloom.so
$(SMALL): $(wildcard ext/kept/*.sql) $(OBJECTS)
	@mkdir -p $(@D)
	cp ext/kept/*.sql $(@D)
	sed -i 's/^1000$$/8/; s/^1200$$/10/; s/^1400$$/12/; s/^1500$$/24/' $(@D)/parts.sql
	ext/tools/templates $(@D) > $(@D)/templates.h
	$(COMPILE) $(PIC) -shared -Wl,-z,nodelete -o $@ -I$(@D) -Iext/kept \
	  $(filter-out %/template.o,$(OBJECTS)) -x c - < ext/kept/template.c -lm

KEPT = $(BUILD)/tests/stress/kept
$(KEPT)-%: tests/stress/kept.c $(TEST_HEADERS) $(BUILD)/flags
	@mkdir -p $(@D)
	$(WITH_VERSION)

KEPT_PROGRAMS = $(KEPT) $(OTHERS:%=$(KEPT)-%-plain)
TRIES ?= 20
CALLS = $(BUILD)/tests/kept_test
$(CALLS)-%: tests/kept_test.c $(TEST_HEADERS) $(BUILD)/linked/bloom-%.o
	@mkdir -p $(@D)
	$(LINK_VERSION)

AROUND = $(BUILD)/tests/stress/surroundings
$(AROUND)-%: tests/stress/surroundings.c $(TEST_HEADERS) $(BUILD)/flags
	@mkdir -p $(@D)
	$(WITH_VERSION)

AROUND_PROGRAMS = $(AROUND) $(OTHERS:%=$(AROUND)-%-plain)
CHECKED_CALLS = $(OTHERS:%=$(CALLS)-%-checked)
kept: $(SMALL) $(KEPT_PROGRAMS) $(AROUND_PROGRAMS) $(CHECKED_CALLS) ### change tables with kept filters at random (OPERATIONS=30000, SEED=1)
	DIST=$(BUILD)/small $(PROVE) -j2 $(KEPT_PROGRAMS) :: $(OPERATIONS) $(SEED)
	DIST=$(BUILD)/small $(PROVE) -j2 $(AROUND_PROGRAMS) :: $$(($(OPERATIONS) / 48)) $(SEED)
	$(PROVE) -j2 --exec tests/tools/run $(CHECKED_CALLS) :: $(TRIES)

WORLDS ?= 300
GARBAGE = $(BUILD)/tests/stress/garbage
$(GARBAGE)-%: tests/stress/garbage.c $(TEST_HEADERS) $(BUILD)/flags
	@mkdir -p $(@D)
	$(WITH_VERSION)

GARBAGE_PROGRAMS = $(GARBAGE) $(OTHERS:%=$(GARBAGE)-%-plain)
garbage: all $(GARBAGE_PROGRAMS) ### run the recipe that deletes on random tables (WORLDS=300, SEED=1)
	$(PROVE) -j2 $(GARBAGE_PROGRAMS) :: $(WORLDS) $(SEED)

# The address sanitizer adds no branches, as that of undefined behaviour would. It sees
# a use of the last 8 MB that were freed, which fit in a processor's cache. The sqlite3
# shell is built without it, so its library is preloaded. The CRC kernel depends on the
# processor, so other processors are emulated if qemu is installed, without the
# sanitizer, which would need more memory there than machines have.
EMULATOR_X86 = $(shell command -v qemu-x86_64)
COUNT_BRANCHES = -g -O0 --coverage
COVERAGE = BUILD=build/coverage DIST=build/coverage/dist CFLAGS='$(COUNT_BRANCHES) \
  -fno-omit-frame-pointer -fsanitize=address -Werror'
WITH_ASAN = env LD_PRELOAD=$(shell $(CC) -print-file-name=libasan.so)
EMULATED = build/coverage/emulated
coverage: ### run all tests under the address sanitizer, and count the branches that they take
	@mkdir -p $(EMULATED)
	find build/coverage -name '*.gcda' -delete
	ASAN_OPTIONS=quarantine_size_mb=8 $(MAKE) $(COVERAGE) KEYS=1000000 INTERRUPTED_KEYS=300000 \
	  SQLITE3='$(WITH_ASAN) $(SQLITE3)' TESTS='$$(OF_BUILD) $$(ADVICE)' test memory limits
	$(MAKE) BUILD=$(EMULATED) CFLAGS='$(COUNT_BRANCHES)' $(EMULATED)/tests/crc32c_test
	for cpu in $(if $(EMULATOR_X86),qemu64 Nehalem Westmere); do \
	  $(PROVE) --exec "$(EMULATOR_X86) -cpu $$cpu" \
	    $(EMULATED)/tests/crc32c_test || exit 1; done
	tests/tools/coverage build/coverage $(EMULATOR_X86)

SQL_TESTS = $(filter-out $(OMIT),$(filter %.sql %.md,$(OF_BUILD)))
VERSION_TESTS = tests/versions/flat_cost.t tests/versions/join_order.t tests/kept.t
versions: all ### test SQL and query plans on SQLite 3.26.0, 3.31.1, 3.52.0 and 3.54.1
	$(PROVE) --exec tests/tools/run $(VERSION_TESTS)
	for version in $(OTHERS); do \
	  SQLITE3=$$(tests/tools/sqlite $$version) && \
	    $(PROVE) --exec tests/tools/run $(VERSION_TESTS) || exit 1; \
	  SQLITE3=$$(tests/tools/sqlite $$version cc checked) && \
	    $(PROVE) -j2 --exec tests/tools/run $(SQL_TESTS) || exit 1; done
	SQLITE3=$$(tests/tools/sqlite 3.15.0) && $(PROVE) tests/versions/too_old.t

sqlite-tests: ### run SQLite's own tests with bloom in every connection (SHARD=1/4)
	TCLTEST_PART=$(SHARD) $(PROVE) --exec tests/tools/run tests/versions/sqlite_tests.t

django-tests: all ### run Django's own tests of schemas with a filter on every CharField
	$(PROVE) --exec tests/tools/run tests/versions/django_tests.t

QUERIES ?= 3000
HANDLES = $(BUILD)/tests/stress/handles
$(HANDLES)-%: tests/stress/handles.c $(TEST_HEADERS) $(BUILD)/flags
	@mkdir -p $(@D)
	$(WITH_VERSION)

LIFETIMES = $(BUILD)/tests/handle_test
$(LIFETIMES)-%: tests/handle_test.c $(TEST_HEADERS) $(BUILD)/linked/bloom-%.o
	@mkdir -p $(@D)
	$(LINK_VERSION)

PLAIN = $(HANDLES) $(OTHERS:%=$(HANDLES)-%-plain)
CHECKED = $(OTHERS:%=$(HANDLES)-%-checked)
CHECKED_LIFETIMES = $(OTHERS:%=$(LIFETIMES)-%-checked)
WITH_SANITIZERS = BUILD=build/handles DIST=build/handles/dist CFLAGS='-g -O1 \
  -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all'
SANITIZED = build/handles/tests/stress/handles-$(NEWEST)-sanitized
handles: all $(PLAIN) $(CHECKED) $(CHECKED_LIFETIMES) ### run random queries with handles (QUERIES=3000, SEED=1)
	$(PROVE) -j2 $(PLAIN) :: $(QUERIES) $(SEED)
	$(PROVE) --exec tests/tools/run $(CHECKED_LIFETIMES)
	$(PROVE) -j2 $(CHECKED) :: $$(($(QUERIES) / 4)) $(SEED)
	$(MAKE) $(WITH_SANITIZERS) all $(SANITIZED)
	DIST=build/handles/dist $(PROVE) $(SANITIZED) :: $(QUERIES) $(SEED)

# bloom_advise needs SQLite 3.38.
ADVISE = $(BUILD)/tests/stress/advise
$(ADVISE): tests/stress/advise.c $(TEST_HEADERS) $(LINKED)
	@mkdir -p $(@D)
	$(TEST_COMPILE) -DSQLITE_CORE -o $@ $< $(LINKED) $(LDFLAGS) $(LIBSQLITE3) -ldl -lm
$(ADVISE)-%: tests/stress/advise.c $(TEST_HEADERS) $(BUILD)/linked/bloom-%.o
	@mkdir -p $(@D)
	$(LINK_VERSION)

FILTERS ?= 1500
ADVISE_PROGRAMS = $(ADVISE) $(ADVISE)-3.52.0-plain $(ADVISE)-$(NEWEST)-plain
advise: all $(ADVISE_PROGRAMS) ### test what bloom_advise says of random queries (FILTERS=1500, SEED=1)
	$(PROVE) -j2 $(ADVISE_PROGRAMS) :: $(FILTERS) $(SEED)

SHARD ?= 1/1
mutation: ### plant faults, each of which a test must notice (SHARD=1/3, ONLY=ext/info.c)
	ONLY='$(ONLY)' tests/tools/mutation $(SHARD) $(PROGRAMS) $(SQL_TESTS) \
	  tests/constants.t tests/kept.t tests/leveldb_damaged.t tests/leveldb_folder.t \
	  $(BUILD)/tests/stress/memory $(ADVISE)

MACHINES = s390x aarch64 i386 armhf musl windows macos-x86_64 macos-aarch64 \
  qemu64 Nehalem wasm
machines: $(MACHINES:%=machine-%) ### test on other processors and systems
$(MACHINES:%=machine-%): machine-%:
	tests/tools/machine $*

# libFuzzer is part of clang. The inputs that it finds on the way stay in
# build/fuzz.
SECONDS ?= 60
FUZZ_BUILD = clang -std=c11 $(WARNINGS) -g -O1 -DSQLITE_CORE -Iext -Itests \
  -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
build/fuzz/core: $(CORE)
build/fuzz/sql: $(SOURCES)
build/fuzz/%: tests/fuzz/%.c tests/fuzz/input.h $(TEST_HEADERS) \
    $(wildcard ext/*.h ext/*/*.h)
	@mkdir -p $@.corpus
	$(FUZZ_BUILD) -o $@ $(filter %.c,$^) -lsqlite3 -lm

fuzz: fuzz-core fuzz-sql ### look for input that breaks it (SECONDS=60)
fuzz-core fuzz-sql: fuzz-%: build/fuzz/%
	$< -max_total_time=$(SECONDS) -timeout=20 -print_final_stats=1 \
	  -artifact_prefix=$<.found- $<.corpus tests/fuzz/corpus/$* 2>$<.log; \
	  code=$$?; grep -E 'ERROR|SUMMARY|says no|written to|number_of_executed' $<.log; exit $$code

oss-fuzz: ### build the fuzzers as OSS-Fuzz does, and run each for a moment
	$(PROVE) --exec tests/tools/run tests/fuzz/oss-fuzz.t

CHECKS = memory sanitize threads limits rates kept garbage coverage versions \
  sqlite-tests django-tests handles advise mutation machines $(MACHINES:%=machine-%) fuzz fuzz-core fuzz-sql oss-fuzz
