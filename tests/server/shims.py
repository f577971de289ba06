"""Small libraries that are preloaded into the server, so that a call of the system does what a test wants."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def built(source: str, place: Path) -> Path:
    """The library made of ``source``, a file beside this one; the test skips where there is no C compiler."""
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("a C compiler is needed to stand between the server and the system")
    library = place / Path(source).with_suffix(".so").name
    path = Path(__file__).with_name(source)
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(path), "-ldl"], check=True)
    return library
