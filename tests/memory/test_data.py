"""The tables are read by whoever comes first, and nobody minds who else is at it."""

import inspect
import subprocess
import sys
from pathlib import Path

from memory.data import raw

SEVERAL = """
import sys, threading
sys.setswitchinterval(1e-6)
from memory.reading import warm
threads = [threading.Thread(target=warm) for _ in range(4)]
for each in threads:
    each.start()
for each in threads:
    each.join()
print("well")
"""


def test_several_threads_may_read_the_tables_for_the_first_time_at_once() -> None:
    done = subprocess.run([sys.executable, "-c", SEVERAL], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "well\n"), done.stderr[-2_000:]


PREPARED = """
import sys
from memory.reading import Before, prepare, read
prepare()
opened = []
sys.addaudithook(lambda event, given: opened.append(str(given[0])) if event == "open" else None)
for text in ("Ich bin gegen Nüsse allergisch.", "I want to die.", "My sister loves jazz, and where is my hat?", "¿Ja?"):
    read(text, Before(said=["I", "I am"], answered="Do you like tea?"), emotions="dementia", recalls=True)
print([name for name in opened if "data" in name])
"""


def test_what_is_prepared_reads_a_message_without_opening_another_table() -> None:
    done = subprocess.run([sys.executable, "-c", PREPARED], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr[-2_000:]


def test_what_is_packed_is_unpacked_by_the_one_seam_that_does_one_at_a_time() -> None:
    room = Path(inspect.getfile(raw)).parent.parent
    own = {file.name for file in room.glob("*.py") if "msgpack.decode(" in file.read_text(encoding="utf-8")}
    assert own == set()
