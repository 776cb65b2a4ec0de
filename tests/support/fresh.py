"""Scripts in a process of their own, which nothing that other tests did can have touched."""

import os
import subprocess
import sys
import textwrap

# What ends a script: its process has never needed more memory than this.
MARK = """
with open("/proc/self/status") as status:
    print(next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")))
"""


def run(
    *arguments: str, seconds: int = 100, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the interpreter where everything can be imported that can be here."""
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
    """What a script prints that ends without an error."""
    done = finished(script, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def kilobytes(script: str) -> int:
    """The high-water mark of the memory of a script that prints nothing."""
    return int(printed(textwrap.dedent(script) + MARK))
