"""Scripts, and functions, in a process of their own, independent of other tests."""

import os
import subprocess
import sys
import textwrap
import traceback
from collections.abc import Callable

# The end of a script prints the most memory that its process has needed.
MARK = """
with open("/proc/self/status") as status:
    print(next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")))
"""


def run(
    *arguments: str, seconds: int = 100, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the interpreter with the module path of this process."""
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=seconds,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | environment,
        check=False,
    )


def finished(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script, however it ends."""
    return run("-c", textwrap.dedent(script), **environment)


def printed(script: str, **environment: str) -> str:
    """The output of a script, which must end without an error."""
    done = finished(script, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def kilobytes(script: str) -> int:
    """The peak memory of a script that prints nothing."""
    return int(printed(textwrap.dedent(script) + MARK))


def in_child(work: Callable[[], str]) -> tuple[str, int]:
    """Return the result of the work in a child process, and its exit status."""
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        said = "died"
        try:
            said = work()
        except BaseException:  # noqa: BLE001 - it goes no further than this child
            said = traceback.format_exc()
        finally:
            os.write(writable, said.encode())
            os._exit(0)
    os.close(writable)
    with os.fdopen(readable, "rb") as answer:
        said = answer.read().decode()
    return said, os.waitpid(child, 0)[1]
