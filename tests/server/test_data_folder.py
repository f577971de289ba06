"""What the doctor says of a data folder that is missing, not mounted, not ours, read-only or full."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from loadtest.nursery import Nursery
from server.data_folder import LEAST_FREE_BYTES, Place, look, mount_points, room, told
from server.order_line import STORE_FILE
from storage.lock import held
from tests.commanding import fireside
from tests.disks import fill, mounted, remounted
from tests.server.test_closed_stores import WITHOUT_ROOTS_RIGHTS

WELL = Place(folder="/srv/f", nearest="/srv/f", owner="ann", me="ann", names=(STORE_FILE, "lock"))
GONE = replace(WELL, there=False, nearest="/srv", names=())

SEEN = [
    (WELL, True, "/srv/f"),
    (GONE, True, "the first start makes it"),
    (
        replace(GONE, unmounted="/srv"),
        False,
        "not mounted (/etc/fstab), and a start now would begin a new, empty",
    ),
    (replace(WELL, unmounted="/srv", names=()), False, "mount it first"),
    (replace(WELL, unmounted="/srv"), True, "/srv/f"),  # a store is there
    (replace(GONE, leads_to="/media/stick"), False, "it leads to /media/stick, which is not there"),
    (replace(WELL, is_folder=False), False, "is a file"),
    (replace(GONE, is_folder=False), False, "/srv is a file"),
    (replace(WELL, read_only=True, writable=False), False, "its file system is read-only"),
    (replace(WELL, writable=False, me="bob"), False, "bob may not write in /srv/f, which is ann's"),
    (replace(GONE, writable=False, owner="root"), False, "ann may not write in /srv, which is root's"),
    (replace(WELL, me="root"), True, "run commands on it as ann, not as root"),
    (replace(WELL, names=("backups", "lock"), copies=("a", "b")), False, "the newest copy is backups/b"),
    (
        replace(WELL, names=("a.txt", "b", "c", "d")),
        False,
        "it holds a.txt, b, c, … and nothing of Fireside's",
    ),
    (replace(WELL, names=("a.txt", "lock")), False, "it holds a.txt and nothing of Fireside's"),
    (replace(WELL, names=("lock", "lost+found", "fireside.toml", ".cache")), True, "/srv/f"),
    (
        replace(WELL, names=("lock", "reached", "spill")),
        False,
        "is gone, and a start now would begin a new, empty",
    ),
    (replace(WELL, names=("a.txt", "tls")), True, "/srv/f"),
    (replace(WELL, names=()), True, "/srv/f"),
]


@pytest.mark.parametrize(("place", "well", "words"), SEEN)
def test_it_says_what_it_means_and_what_to_do(place: Place, well: bool, words: str) -> None:
    fine, said = told(place)
    assert fine == well
    assert words in said


def test_too_little_room_is_told_with_what_comes_of_it() -> None:
    assert room(WELL) == (True, "200 MiB")
    assert "make room" in room(replace(WELL, free_bytes=LEAST_FREE_BYTES - 1))[1]
    enough, said = room(replace(WELL, no_more_files=True))
    assert (enough, "no inode is left" in said) == (False, True)


def test_the_places_for_disks_are_read_from_the_systems_table(tmp_path: Path) -> None:
    lines = [
        "# a comment",
        "UUID=1 / ext4 defaults 0 1",
        "LABEL=s /mnt/my\\040stick ext4 noauto",
        "x none swap sw",
    ]
    assert list(mount_points(lines)) == ["/mnt/my stick"]
    table, data = tmp_path / "fstab", tmp_path / "stick" / "fireside"
    table.write_text(f"LABEL=s {tmp_path}/stick ext4 defaults 0 2\n")
    assert look(data, table).unmounted == f"{tmp_path}/stick"
    assert look(tmp_path / "elsewhere", table).unmounted is None


def test_a_folder_is_looked_at_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "is a file" in told(look(tmp_path / "file" / "data"))[1]
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    assert "which is not there" in told(look(tmp_path / "link"))[1]
    (tmp_path / "new").mkdir()
    with held(tmp_path / "new"):
        assert told(look(tmp_path / "new"))[0]


def test_the_doctor_goes_on_where_nobody_may_look_into_the_folder(tmp_path: Path) -> None:
    before = WITHOUT_ROOTS_RIGHTS if os.geteuid() == 0 else ()
    if before and not shutil.which(before[0]):
        pytest.skip("root may look everywhere, and setpriv is not here")
    data = tmp_path / "data"
    data.mkdir(mode=0o000)
    words = (*before, sys.executable, "-m", "server.cli", "doctor", "--data", str(data))
    try:
        looked = subprocess.run(words, capture_output=True, text=True, check=False)
    finally:
        data.chmod(0o700)
    assert f"may not write in {data}" in looked.stdout
    assert "companions" in looked.stdout
    assert looked.stderr == ""


def test_a_look_at_what_is_not_ours_leaves_nothing_there(tmp_path: Path, born: Nursery) -> None:
    (tmp_path / "letter.txt").touch()
    looked = fireside(born, "doctor", "--data", str(tmp_path))
    assert "it holds letter.txt and nothing of Fireside's" in looked.out
    assert [each.name for each in tmp_path.iterdir()] == ["letter.txt"]


def test_the_doctor_says_it_of_a_disk_that_is_full_or_read_only(tmp_path: Path, born: Nursery) -> None:
    with mounted(tmp_path / "disk", "8m") as disk:
        fill(disk / "ballast")
        looked = fireside(born, "doctor", "--data", str(disk / "data"))
        assert "0 MiB where" in looked.out
        assert looked.code != 0
        (disk / "ballast").unlink()
        remounted(disk, "ro")
        looked = fireside(born, "doctor", "--data", str(disk / "data"))
        assert "its file system is read-only" in looked.out
