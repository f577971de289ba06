"""The report of a run as one page that needs nothing else: a table, and a curve for each measure.

A curve shows how long the fastest share of all took; the share is drawn towards 1 by nines, so that the slow end,
which people feel, has as much room as the rest.
"""

import html
import math
from collections.abc import Mapping, Sequence

from loadtest.figures import Spread, percentile, spread

SHARES = (0.0, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999)
WIDTH, HEIGHT, MARGIN = 560, 220, 48
COLOURS = ("#8a3b12", "#1f5f8b", "#3d6b35")
_MOST_NINES = 3.0

Measures = Mapping[str, Sequence[float]]
"""Durations in seconds by the name of what was measured."""


def page(title: str, runs: Mapping[str, Measures], notes: Sequence[str] = ()) -> str:
    """The page: of each measure a table and a plot, every run in it."""
    names = dict.fromkeys(name for run in runs.values() for name in run)
    body = "".join(f"<h2>{html.escape(name)}</h2>{_table(name, runs)}{_plot(name, runs)}" for name in names)
    told = "".join(f"<p>{html.escape(note)}</p>" for note in notes)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        f"<title>{html.escape(title)}</title><style>body{{font:16px/1.5 system-ui,sans-serif;max-width:44rem;"
        "margin:2rem auto;padding:0 1rem}table{border-collapse:collapse}td,th{padding:.1rem .8rem;text-align:right}"
        "th:first-child{text-align:left}svg text{font:12px system-ui,sans-serif}</style>"
        f"<h1>{html.escape(title)}</h1>{told}{body}</html>\n"
    )


def _table(name: str, runs: Mapping[str, Measures]) -> str:
    head = "<tr><th>run</th><th>count</th><th>p50 ms</th><th>p95 ms</th><th>p99 ms</th><th>max ms</th></tr>"
    rows = "".join(_row(run, spread(measures.get(name, ()))) for run, measures in runs.items())
    return f"<table>{head}{rows}</table>"


def _row(run: str, found: Spread) -> str:
    cells = "".join(f"<td>{_said(value)}</td>" for value in (found.p50, found.p95, found.p99, found.most))
    return f"<tr><th>{html.escape(run)}</th><td>{found.count}</td>{cells}</tr>"


def _said(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.1f}"


def _plot(name: str, runs: Mapping[str, Measures]) -> str:
    most = max((each for measures in runs.values() for each in measures.get(name, ())), default=0.0)
    if not most:
        return ""
    lines = "".join(
        _curve(run, measures.get(name, ()), most, COLOURS[at % len(COLOURS)], at)
        for at, (run, measures) in enumerate(runs.items())
        if measures.get(name)
    )
    marks = "".join(
        f'<text x="{_x(share):.0f}" y="{HEIGHT - MARGIN + 18}" text-anchor="middle">{100 * share:g}</text>'
        for share in (0.0, 0.5, 0.9, 0.99, 0.999)
    )
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html.escape(name)}, by share in percent">'
        f'<path d="M{MARGIN} 12V{HEIGHT - MARGIN}H{WIDTH - 12}" fill="none" stroke="#888"/>{marks}'
        f'<text x="{MARGIN - 6}" y="20" text-anchor="end">{1_000 * most:.0f} ms</text>'
        f'<text x="{MARGIN - 6}" y="{HEIGHT - MARGIN}" text-anchor="end">0</text>{lines}</svg>'
    )


def _curve(run: str, values: Sequence[float], most: float, colour: str, at: int) -> str:
    room = HEIGHT - MARGIN - 12
    points = " ".join(
        f"{_x(share):.1f},{HEIGHT - MARGIN - room * percentile(values, share) / most:.1f}" for share in SHARES
    )
    return (
        f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        f'<text x="{MARGIN + 12}" y="{28 + 16 * at}" fill="{colour}">{html.escape(run)}</text>'
    )


def _x(share: float) -> float:
    nines = min(_MOST_NINES, -math.log10(1 - share))
    return MARGIN + (WIDTH - MARGIN - 24) * nines / _MOST_NINES
