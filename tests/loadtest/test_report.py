"""A load run talks over real connections, finds what was acknowledged in the store, and reports it."""

import sys
from pathlib import Path
from subprocess import run

import msgspec
import pytest

from loadtest.page import page

MEASURES = {
    "connect and welcome",
    "message to ack",
    "message to first word",
    "between words",
    "message to end of answer",
}


def test_a_run_reports_its_figures_its_plots_and_what_a_bare_loop_takes(tmp_path: Path) -> None:
    figures, report = tmp_path / "figures.json", tmp_path / "report.html"
    scene = [
        "--clients",
        "4",
        "--messages",
        "2",
        "--tokens",
        "12",
        "--tokens-per-second",
        "100",
        "--stop-share",
        "1",
    ]
    told = run(
        [sys.executable, "-m", "loadtest", *scene, "--compare", "--json", figures, "--html", report],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert told.returncode == 0, told.stdout + told.stderr
    assert "8 messages acknowledged" in told.stdout
    assert "errors 0   lost 0  stored twice 0" in told.stdout
    assert told.stdout.count("errors 0") == 2, "the bare loop keeps to the protocol too"
    found = msgspec.json.decode(figures.read_bytes(), type=dict[str, dict[str, float]])
    assert set(found) == MEASURES
    assert found["message to ack"]["count"] == 8
    shown = report.read_text()
    assert shown.count("<svg") == len(MEASURES)
    assert shown.count("<polyline") == 2 * len(MEASURES)
    assert "http" not in shown, "the page asks nobody for anything"


def test_a_page_tells_the_slow_end_and_no_more_than_was_measured() -> None:
    shown = page("<a run>", {"one": {"waits": [0.001] * 99 + [0.5]}, "two": {"waits": []}})
    assert "&lt;a run&gt;" in shown
    assert "500.0" in shown
    assert shown.count("<polyline") == 1
    assert "<th>two</th><td>0</td><td>–</td>" in shown


@pytest.mark.parametrize("values", [[0.01], [0.0, 0.02], [0.003] * 1_000])
def test_every_curve_stays_on_its_page(values: list[float]) -> None:
    _, _, drawn = page("a run", {"one": {"waits": values}}).partition('points="')
    for point in drawn.partition('"')[0].split():
        across, down = map(float, point.split(","))
        assert 0 <= across <= 560
        assert 0 <= down <= 220
