"""One process owns a data folder, and a second one is told who."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from storage.lock import FolderHeld, held

HOLD = """
import sys
from pathlib import Path
from storage.lock import held
with held(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_holder_is_told_who_the_first_is(tmp_path: Path) -> None:
    with held(tmp_path), pytest.raises(FolderHeld, match=f"process {os.getpid()}") as refused, held(tmp_path):
        pass
    assert refused.value.pid == os.getpid()


def test_a_lock_ends_with_the_process_that_held_it(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(FolderHeld) as refused, held(tmp_path):
            pass
        assert refused.value.pid == holder.pid
        holder.kill()
    with held(tmp_path):
        assert (tmp_path / "lock").read_text() == str(os.getpid())


def test_a_folder_left_is_free(tmp_path: Path) -> None:
    with held(tmp_path / "new"):
        assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    with held(tmp_path / "new"):
        pass
