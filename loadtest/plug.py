"""``python -m loadtest.plug FOLDER``: a kiosk's plug is pulled while people talk; nothing acknowledged may be lost.

A virtual machine with the disks that ``loadtest/kiosk_image.sh`` built, started by its own systemd from a read-only
root: real units, a real file system, and a power cut that leaves what the guest had not synced nowhere. People write on
over a virtual cable and keep a ledger; after the last pull the machine starts once more, is asked to switch off by its
power button, and its store is held against the ledger. Needs qemu and debugfs; without KVM a start takes minutes.

Example:
    sh loadtest/kiosk_image.sh /var/tmp/kiosk && python -m loadtest.plug /var/tmp/kiosk --pulls 10
"""

import random
import signal
import subprocess
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import anyio.abc
import cyclopts
import msgspec

from loadtest.keeping_on import Ledger, Person
from loadtest.kept import findings

COMPANIONS = ("clara", "serenity", "extremis")
BOOT_SECONDS, OFF_SECONDS = 900.0, 300.0
MOST_ACKS = 12
MOST_SECONDS = 0.5  # between the last ack that is waited for and the pull
KERNEL = "root=/dev/vda ro console=ttyS0 quiet net.ifnames=0 systemd.journald.forward_to_console=1"
STORE = "/fireside.db"


class Kiosk:
    """A virtual machine that runs."""

    def __init__(self, process: anyio.abc.Process, folder: Path, ports: tuple[int, int]) -> None:
        self.process = process
        self.folder = folder
        self.url = f"ws://127.0.0.1:{ports[0]}/ws"
        self.shell_port = ports[1]

    async def pull_the_plug(self) -> None:
        """What the guest did not sync is gone."""
        self.process.send_signal(signal.SIGKILL)
        await self.process.wait()

    async def press_the_button(self) -> None:
        """Ask it to switch itself off, and wait until it has."""
        await self.ask("system_powerdown")
        with anyio.fail_after(OFF_SECONDS):
            await self.process.wait()

    async def picture(self, name: str) -> None:
        """What stands on its screen, as a file of its folder (PPM)."""
        await self.ask("screendump", {"filename": str(self.folder / name)})

    async def ask(self, command: str, arguments: dict[str, str] | None = None) -> None:
        """Send a command to the machine (QEMU Machine Protocol)."""
        async with await anyio.connect_unix(self.folder / "machine.sock") as line:
            for each in ({"execute": "qmp_capabilities"}, {"execute": command, "arguments": arguments or {}}):
                await line.send(msgspec.json.encode(each) + b"\n")
                await anyio.sleep(1)


@asynccontextmanager
async def kiosk(folder: Path, ports: tuple[int, int], name: str) -> AsyncGenerator[Kiosk]:
    """The machine of a folder, switched on until the block ends; what it says is in ``name``.log."""
    disks = [f"file={folder / disk}.img,if=virtio,format=raw" for disk in ("system", "data", "home")]
    doors = ",".join(
        f"hostfwd=tcp:127.0.0.1:{port}-:{inside}" for port, inside in zip(ports, (9000, 9001), strict=True)
    )
    command = ["qemu-system-x86_64", "-accel", "tcg", "-cpu", "max", "-smp", "1", "-m", "2048"]
    command += ["-display", "none", "-vga", "none", "-device", "virtio-gpu-pci", "-no-reboot"]
    command += ["-kernel", f"{folder / 'vmlinuz'}", "-initrd", f"{folder / 'initrd'}", "-append", KERNEL]
    command += [each for disk in disks for each in ("-drive", disk)]
    command += ["-netdev", f"user,id=cable,restrict=on,{doors}", "-device", "virtio-net-pci,netdev=cable"]
    command += ["-serial", f"file:{folder / name}.log", "-qmp", f"unix:{folder}/machine.sock,server,nowait"]
    async with await anyio.open_process(
        command, stdin=subprocess.DEVNULL, stdout=None, stderr=None
    ) as process:
        try:
            yield Kiosk(process, folder, ports)
        finally:
            if process.returncode is None:
                process.kill()


@asynccontextmanager
async def talked(machine: Kiosk, people: list[Person], ledger: Ledger, acks: int) -> AsyncGenerator[float]:
    """People write on, and so many more messages are durable; seconds until the first of them was welcomed."""
    began, welcomed = time.monotonic(), anyio.Event()
    async with anyio.create_task_group() as tasks:
        for person in people:
            tasks.start_soon(person.keep_on, machine.url, welcomed)
        with anyio.fail_after(BOOT_SECONDS):
            await welcomed.wait()
        back = time.monotonic() - began
        with anyio.fail_after(BOOT_SECONDS):
            await ledger.acks.wait(ledger.acks.count + acks)
        yield back
        tasks.cancel_scope.cancel()


async def run(folder: Path, pulls: int, seed: int, ports: tuple[int, int]) -> int:
    """Pull so often; how many promises were broken."""
    chance, ledger = random.Random(seed), Ledger()
    people = [
        Person(
            name=f"p{number}",
            companion=companion,
            ledger=ledger,
            chance=random.Random(seed * 1_009 + number),
            think_seconds=1.0,
        )
        for number, companion in enumerate(COMPANIONS)
    ]
    for pull in range(1, pulls + 1):
        acks = chance.randint(1, MOST_ACKS)
        async with (
            kiosk(folder, ports, f"life-{pull}") as machine,
            talked(machine, people, ledger, acks) as back,
        ):
            await anyio.sleep(chance.uniform(0, MOST_SECONDS))
            await machine.pull_the_plug()
        print(
            f"pull {pull}: welcomed {back:.0f} s after the switch, acknowledged {len(ledger.messages)}",
            flush=True,
        )
    async with kiosk(folder, ports, "last") as machine, talked(machine, people, ledger, MOST_ACKS):
        await machine.picture("screen.ppm")
        await machine.press_the_button()
    store = folder / "fireside.db"
    await anyio.run_process(["debugfs", "-R", f"dump {STORE} {store}", f"{folder / 'data.img'}"])
    found = findings(store, ledger)
    print(
        f"{pulls} pulls, seed {seed}: acknowledged {len(ledger.messages)}, answers {len(ledger.answers)}, "
        f"resent {ledger.resent}; lost {found.lost}, twice {found.doubled}, gaps {found.gaps}, "
        f"out of order {found.reordered}, answered twice {found.answered_twice}, "
        f"broken on the wire {len(ledger.broken)}"
    )
    for each in (*found.examples, *ledger.broken[:5]):
        print(f"  {each}")
    return found.broken + len(ledger.broken)


app = cyclopts.App(name="plug", help="Pull a kiosk's plug again and again; nothing acknowledged may be lost.")


@app.default
def plug(
    folder: Path, *, pulls: int = 10, seed: int | None = None, ports: tuple[int, int] = (19_000, 19_001)
) -> None:
    """Pull the plug of the machine in ``folder`` so often. Exit code 0 when every promise held."""
    chosen = random.SystemRandom().randrange(1_000_000) if seed is None else seed
    raise SystemExit(1 if anyio.run(run, folder.absolute(), pulls, chosen, ports) else 0)


if __name__ == "__main__":
    app()
