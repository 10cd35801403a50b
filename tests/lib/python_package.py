"""What tests in Python share: TAP, what each client is asked, the package as it is
installed, and the blocks of its page."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

tests = 0


def ok(passed, name):
    global tests
    tests += 1
    print("ok" if passed else "not ok", tests, "-", name.replace("\n", " "), flush=True)


def same(got, expected, name):
    ok(got == expected, f"{name}: {got}")


def plan():
    print(f"1..{tests}")


def run_with_each(name):
    """Runs this test in a process for each version of a package: Debian's, and
    those that tests/tools/install has unpacked. Returns in these processes."""
    if "one" in sys.argv:
        return
    for path in ["", *sorted(glob.glob(f"build/interop/python/{name}-*"))]:
        print("#", path or "Debian's", name)
        child = subprocess.run(
            [sys.executable, sys.argv[0], "one"],
            env={**os.environ, "PYTHONPATH": os.path.abspath(path) if path else ""},
            stdout=subprocess.PIPE,
            text=True,
        )
        results = re.findall("^(ok|not ok) [0-9]+ - (.*)", child.stdout, re.M)
        for result, test in results:
            ok(result == "ok", test)
        complete = child.stdout.endswith(f"\n1..{len(results)}\n")
        ok(child.returncode == 0 and complete, "all tests ran")
    plan()
    sys.exit()


def error_of(function, *arguments, **named):
    """The type and message of the exception that a call raises."""
    try:
        function(*arguments, **named)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "no error"


def test_client(ask, error):
    """What each client is asked on a connection with the extension. ask(sql, values)
    gives the rows, and `error` is how the client's own errors begin."""
    ask("CREATE TABLE key(k)")
    for key in "hello", "world":
        ask("INSERT INTO key VALUES (?)", (key,))
    ask("CREATE TABLE filter AS SELECT bloom_build(k, 10) AS f FROM key")
    ((f,),) = ask("SELECT f FROM filter")
    ok(f == bytes.fromhex("114000414410401006"), "a filter is bytes")

    probe = "SELECT bloom_may_match(?, ?)"
    answers = [ask(probe, (key, f)) for key in ("hello", "foo")]
    ok(answers == [[(1,)], [(0,)]], "a filter bound as a parameter")

    opened = "SELECT ? WHERE bloom_may_match(?1, (SELECT bloom_open(f) FROM filter))"
    passed = [key for key in ("hello", "x", "world") if ask(opened, (key,))]
    ok(passed == ["hello", "world"], "a stored filter through bloom_open")

    ((number,),) = ask("SELECT bloom_build(42)")
    answers = [ask(probe, (key, number)) for key in (42, 42.0)]
    ok(answers == [[(1,)], [(1,)]], "42, whole or float, is the key that 42 is in SQL")

    message = error_of(ask, probe, ("hello", 1))
    ok(
        message
        == error + ": bloom_may_match: filter must be a BLOB or a bloom_open() handle, "
        "got 1, which is not an open handle (a handle ends with its statement, or when "
        "the statement has opened too many others: store the filter, and open it again)",
        "an error is " + message,
    )

    ask("CREATE TABLE page(id INTEGER PRIMARY KEY, url TEXT)")
    create = "SELECT bloom_create_parts('page', 'url')"
    ok(ask(create) == [("page_url_filter",)], "one call keeps a filter")
    ask("INSERT INTO page(url) VALUES ('/'), ('/a')")
    known = "SELECT bloom_may_match(?, filter) FROM page_url_filter"
    answers = [ask(known, (key,)) for key in ("/", "/x")]
    ok(answers == [[(1,)], [(0,)]], "a key that was inserted since is in it")


with open("ext/packaging/python/README.md") as page:
    _blocks = re.findall(r"```\w+\n(.*?)```", page.read(), re.S)


def block(text):
    """The only block of the page that has a text."""
    (found,) = [block for block in _blocks if text in block]
    return found


# The package's source beside the extension. The folder of the running test is no
# longer searched: apsw.py there is not the module apsw.
_scratch = tempfile.TemporaryDirectory()
scratch = _scratch.name
package = os.path.join(scratch, "sqlite_bloom")
shutil.copytree("ext/packaging/python/sqlite_bloom", package)
shutil.copy(os.environ.get("DIST", "dist") + "/bloom.so", package)
sys.path[0] = scratch
sys.dont_write_bytecode = True
