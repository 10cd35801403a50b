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

# A peer that is not packaged: FAST_CRC32 names a C file that the generator of
# github.com/corsix/fast-crc32 has written. The file computes crc32c in a
# function crc32_impl.
$(BUILD)/bench/fast_crc32.name: FORCE
	@mkdir -p $(@D)
	@echo '$(FAST_CRC32)' | cmp -s - $@ || echo '$(FAST_CRC32)' > $@
$(BUILD)/bench/core_bench.o: $(BUILD)/bench/fast_crc32.name

ifneq (,$(FAST_CRC32))
$(BUILD)/bench/core_bench.o: CPPFLAGS += -DHAVE_FAST_CRC32
$(BUILD)/bench/core_bench: $(BUILD)/bench/fast_crc32.o
$(BUILD)/bench/fast_crc32.o: $(FAST_CRC32) $(BUILD)/bench/fast_crc32.name
	$(CC) -O3 -march=native -w -c -o $@ $<
endif

$(BUILD)/bench/core_bench: $(BUILD)/bench/core_bench.o \
    $(BUILD)/bench/leveldb_peer.o $(BUILD)/bench/bench.o $(CORE_OBJECTS)
	$(CXX) $(LDFLAGS) -o $@ $^ -lleveldb -lisal

$(BUILD)/bench/sql_bench $(BUILD)/bench/ssb_bench $(BUILD)/bench/multi_bench \
  $(BUILD)/bench/block_bench $(BUILD)/bench/recipe_bench: %: %.o $(BENCH_OBJECTS)
	$(CC) $(LDFLAGS) -o $@ $^ -lsqlite3 -lm

$(BUILD)/bench/parts_bench: $(BUILD)/bench/parts_bench.o $(BENCH_OBJECTS) \
    $(CORE_OBJECTS)
	$(CC) $(LDFLAGS) -o $@ $^ -lsqlite3 -lm

# sql_bench with the newest SQLite, whose own Bloom filter is the peer.
$(BUILD)/bench/sql_bench_newer: $(BUILD)/bench/sql_bench.o $(BENCH_OBJECTS) \
    $(NEWER)/sqlite3.o
	$(CC) $(LDFLAGS) -o $@ $^ -lm -ldl -lpthread

bench-needs:
	@for need in leveldb/filter_policy.h:libleveldb-dev isa-l/crc.h:libisal-dev \
	  sqlite3.h:libsqlite3-dev; do \
	  echo "#include <$${need%:*}>" | $(CXX) -fsyntax-only -xc++ - 2>/dev/null || \
	    { echo "make bench needs g++ and Debian's $${need#*:}"; exit 1; }; done

BENCHES = $(BUILD)/bench/core_bench $(BUILD)/bench/sql_bench \
  $(BUILD)/bench/ssb_bench $(BUILD)/bench/multi_bench \
  $(BUILD)/bench/parts_bench $(BUILD)/bench/block_bench \
  $(BUILD)/bench/recipe_bench

bench: bench-needs all $(BENCHES) ### ours against the peers, side by side
	@rm -f $(BENCH_JSON)
	@export BENCH_JSON=$(BENCH_JSON); set -e; \
	  $(BUILD)/bench/core_bench; \
	  for part in tables large; do $(BUILD)/bench/sql_bench $(DIST)/bloom $$part; \
	  done; \
	  if [ -e $(NEWER)/sqlite3.c ]; then \
	    $(MAKE) -s $(BUILD)/bench/sql_bench_newer && \
	    $(BUILD)/bench/sql_bench_newer $(DIST)/bloom own; \
	  else echo 'skip: SQLite 3.52, which `make versions` fetches'; fi; \
	  $(BUILD)/bench/ssb_bench $(DIST)/bloom tests/bench/ssb.sql; \
	  $(BUILD)/bench/multi_bench $(DIST)/bloom tests/bench/multi.sql; \
	  $(BUILD)/bench/parts_bench $(DIST)/bloom $(BUILD)/bench/parts.db; \
	  $(BUILD)/bench/block_bench $(DIST)/bloom; \
	  $(BUILD)/bench/recipe_bench $(DIST)/bloom $(BUILD)/recipes.db
	@tests/bench/chart < $(BENCH_JSON) > $(BUILD)/match_rate.svg
	@echo; echo 'measures: $(BENCH_JSON), chart: $(BUILD)/match_rate.svg'

benches: bench-needs $(BENCHES)

BENCHMARKS = bench benches bench-needs
