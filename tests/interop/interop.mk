# The tests with other programs: clients of SQLite, LevelDB's own files,
# replication, packages. The Makefile includes this file.

# A program with the extension linked in, compiled as the README says.
$(BUILD)/interop/static: tests/interop/clients/static.c dist
	@mkdir -p $(@D)
	$(CC) -DSQLITE_CORE -I$(DIST) $< $(DIST)/bloom.c -o $@ -lsqlite3 -lm

# Programs that are linked with LevelDB. The tests build them if Debian's
# libleveldb-dev is installed.
$(BUILD)/interop/leveldb_%: tests/interop/leveldb_%.cc $(CORE_OBJECTS)
	@mkdir -p $(@D)
	$(CXX) -std=c++17 -O2 -g $(WARNINGS) -Iext -Itests -o $@ $< \
	  $(CORE_OBJECTS) -lleveldb

# The browser's page is only built if the compiler of `make wasm` is installed.
WASM = $(if $(shell command -v emcc),wasm)

INTEROP_TESTS = $(sort $(wildcard tests/interop/*.t) \
  $(filter-out %.c,$(wildcard tests/interop/clients/*))) $(BUILD)/interop/static

interop: all dist $(WASM) $(BUILD)/interop/static ### clients, LevelDB's files, replication
	PATH="$(CURDIR)/build/interop/bin:$$PATH" \
	NODE_PATH='$(CURDIR)/build/interop/node_modules' \
	DIST='$(abspath $(DIST))' \
	  $(PROVE) -j 2 --exec tests/tools/run $(INTEROP_TESTS)

rehearse: dist ### publish all packages to registries on 127.0.0.1, and install them by name
	DIST='$(abspath $(DIST))' $(PROVE) --exec tests/tools/run tests/rehearse/rehearse.t

page-picture: wasm ### take the picture of the browser's page that the README shows
	tests/tools/page_picture

INTEROP = interop rehearse page-picture
