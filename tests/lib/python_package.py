"""What tests of the Python package share: TAP, the package as it is installed, and
the blocks of its page."""
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
