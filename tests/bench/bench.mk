# The benchmarks, which compare the extension with its peers side by side. The
# Makefile includes this file.

BENCH_OBJECTS = $(BUILD)/bench/bench.o $(BUILD)/bench/bench_sql.o
BENCH_JSON ?= $(BUILD)/bench.json

$(BUILD)/bench/%.o: tests/bench/%.c $(TEST_HEADERS) \
    $(wildcard tests/bench/*.h) $(BUILD)/flags
	@mkdir -p $(@D)
	$(TEST_COMPILE) -c -o $@ $<

$(BUILD)/bench/leveldb_peer.o: tests/bench/leveldb_peer.cc
	@mkdir -p $(@D)
	$(CXX) -O2 -c -o $@ $<

$(BUILD)/bench/core_bench: $(BUILD)/bench/core_bench.o \
    $(BUILD)/bench/leveldb_peer.o $(BUILD)/bench/bench.o $(CORE_OBJECTS)
	$(CXX) $(LDFLAGS) -o $@ $^ -lleveldb -lisal

# What the programs are linked from is kept.
.PRECIOUS: $(BUILD)/bench/%.o $(BUILD)/bench/sqlite-%.o
$(BUILD)/bench/%_bench: $(BUILD)/bench/%_bench.o $(BENCH_OBJECTS)
	$(CC) $(LDFLAGS) -o $@ $^ -lsqlite3 -lm

$(BUILD)/bench/parts_bench: $(CORE_OBJECTS)

$(BUILD)/bench/advice_bench: $(BUILD)/bench/advice.o

# Three programs with newer versions of SQLite, whose own Bloom filters and plans
# differ.
SHAPE_VERSIONS = 3.52.0 $(NEWEST)
NEWER_BENCHES = $(SHAPE_VERSIONS:%=shape_bench-%) tpch_bench-$(NEWEST) \
  advice_bench-$(NEWEST)
LINK_NEWER = $(CC) $(LDFLAGS) -o $@ $^ -lm -ldl -lpthread
$(BUILD)/bench/shape_bench-%: $(BUILD)/bench/shape_bench.o $(BENCH_OBJECTS) \
    $(BUILD)/bench/sqlite-%.o
	$(LINK_NEWER)
$(BUILD)/bench/tpch_bench-%: $(BUILD)/bench/tpch_bench.o $(BENCH_OBJECTS) \
    $(BUILD)/bench/sqlite-%.o
	$(LINK_NEWER)
$(BUILD)/bench/advice_bench-%: $(BUILD)/bench/advice_bench.o \
    $(BUILD)/bench/advice.o $(BENCH_OBJECTS) $(BUILD)/bench/sqlite-%.o
	$(LINK_NEWER)
$(BUILD)/bench/sqlite-%.o:
	$(CC) -O2 -w -c -o $@.new $$(tests/tools/sqlite --source $*)/sqlite3.c
	mv $@.new $@

bench-needs:
	@for need in leveldb/filter_policy.h:libleveldb-dev isa-l/crc.h:libisal-dev \
	  sqlite3.h:libsqlite3-dev; do \
	  echo "#include <$${need%:*}>" | $(CXX) -fsyntax-only -xc++ - 2>/dev/null || \
	    { echo "make bench needs g++ and Debian's $${need#*:}"; exit 1; }; done

BENCHES = $(patsubst tests/bench/%.c,$(BUILD)/bench/%, $(wildcard tests/bench/*_bench.c)) \
  $(NEWER_BENCHES:%=$(BUILD)/bench/%)

# SMALLER=100 makes the tables of all programs so many times smaller, which shows
# that they run. COLEIFER names the extension of github.com/coleifer/sqlite3-bloomfilter,
# compiled, which is not packaged.
bench: bench-needs all $(BENCHES) ### measure this extension against its peers (OLD=FILE: and an older build)
	BENCH_JSON=$(BENCH_JSON) BENCH_SMALLER=$(SMALLER) ROWS=$(ROWS) \
	  COLEIFER=$(COLEIFER) tests/bench/run $(OLD)

bench-pages: ### keep what make bench measured last, and write it into the pages
	tests/bench/pages --keep $(BENCH_JSON)

benches: bench-needs $(BENCHES)

BENCHMARKS = bench bench-pages benches bench-needs
