# The tests with other programs: clients of SQLite, LevelDB's own files,
# replication, packages. The Makefile includes this file.

# Programs that are linked with LevelDB, if Debian's libleveldb-dev is installed. Several
# tests use them, at the same time, and build them where one of these runs alone.
LEVELDB_PROGRAMS = $(if $(wildcard /usr/include/leveldb/db.h), \
  $(patsubst tests/%.cc,$(BUILD)/%,$(wildcard tests/interop/leveldb_*.cc)))
$(BUILD)/interop/leveldb_%: tests/interop/leveldb_%.cc $(CORE_OBJECTS)
	@mkdir -p $(@D)
	$(CXX) -std=c++17 -O2 -g $(WARNINGS) -Iext -Itests -o $@ $< \
	  $(CORE_OBJECTS) -lleveldb

# The browser's page is only built if the compiler of `make wasm` is installed.
WASM = $(if $(shell command -v emcc),wasm)

INTEROP_TESTS = $(sort $(filter-out $(OMIT), \
  $(wildcard tests/interop/*.t tests/interop/clients/*)))

interop: all dist $(WASM) $(LEVELDB_PROGRAMS) ### test clients, packages, LevelDB's files and replication
	PATH="$(CURDIR)/build/interop/bin:$$PATH" \
	NODE_PATH='$(CURDIR)/build/interop/node_modules' \
	DIST='$(abspath $(DIST))' \
	  $(PROVE) -j 2 --exec tests/tools/run $(INTEROP_TESTS)

rehearse: dist ### publish all packages to registries on 127.0.0.1, and install them by name
	DIST='$(abspath $(DIST))' $(PROVE) --exec tests/tools/run $(sort $(wildcard tests/rehearse/*.t))

INTEROP = interop rehearse
