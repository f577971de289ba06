"""Tells what ``pip-audit`` found, read from standard input: faults that are known, or that nobody could be asked."""

import sys
from typing import Any

import msgspec


def told(report: bytes) -> tuple[str, bool]:
    """What to print, and whether nothing is known against what was looked at."""
    try:
        found: dict[str, Any] = msgspec.json.decode(report)  # Any: JSON of another program
    except msgspec.DecodeError:
        return "SKIPPED: the audit could not be made; nobody who knows of faults was reached.", True
    packages = found["dependencies"]
    looked_at = [each for each in packages if "vulns" in each]
    faults = [
        f"{each['name']} {each['version']}: {fault['id']}" for each in looked_at for fault in each["vulns"]
    ]
    skipped = len(packages) - len(looked_at)
    lines = [f"Audited {len(looked_at)} of {len(packages)} packages, {len(faults)} known faults."]
    if skipped:
        lines.append(f"SKIPPED: of {skipped} packages nobody who knows of faults could be asked.")
    return "\n".join([*lines, *faults]), not faults


if __name__ == "__main__":
    said, well = told(sys.stdin.buffer.read())
    print(said)
    raise SystemExit(0 if well else 1)
