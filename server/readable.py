"""An export to read: one page that stands by itself, calm and large, and asks nobody for anything."""

import base64
import hashlib
from datetime import UTC, datetime
from html import escape

from memory.facts_told import told
from storage.portable import Cell, Memory, Rows

STYLE = """
:root { font: 20px/1.55 "Atkinson Hyperlegible", "Segoe UI", system-ui, sans-serif; color: #2a1f16;
  background: #fbf4e9; }
body { max-width: 44rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.25; margin: 1.6em 0 0.4em; }
h1 { margin-top: 0.4em; }
.soft { color: #4f3d2f; }
ul { padding-left: 1.2em; }
li { margin: 0.35em 0; }
article { border-top: 1px solid #d5c2a6; margin-top: 1.4em; }
p { margin: 0.4em 0; white-space: pre-wrap; }
.person { background: #f3e6d3; border-radius: 0.5em; padding: 0.4em 0.8em; }
@media print { :root { background: #fff; font-size: 12pt; } }
"""

_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY = f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'"


def readable(memory: Memory, name: str) -> str:
    """The page; ``name`` is what the companion is called. Everything said is escaped."""
    title = f"What {name} remembers"
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="soft">Exported on {escape(memory.exported_at[:10])}.</p>',
        _profile(memory.tables.get("profiles", [])),
        _facts(memory.tables.get("facts", [])),
        _summaries(memory.tables.get("summaries", []), memory.tables.get("conversations", [])),
        _check_ins(memory.tables.get("check_ins", [])),
        _conversations(memory.tables.get("conversations", []), memory.tables.get("messages", []), name),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body><main>\n"
        + "\n".join(part for part in parts if part)
        + "\n</main></body></html>\n"
    )


def _section(title: str, lines: list[str]) -> str:
    return f"<h2>{title}</h2><ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul>" if lines else ""


def _text(cell: Cell) -> str:
    return escape(", ".join(map(str, cell)) if isinstance(cell, list) else str(cell))  # pyright: ignore[reportUnknownArgumentType]  # JSON


def _profile(rows: Rows) -> str:
    told: dict[str, Cell] = rows[0]["profile"] if rows else {}
    return _section(
        "What you told about yourself",
        [f"{escape(str(key).replace('_', ' ').capitalize())}: {_text(value)}" for key, value in told.items()],
    )


def _facts(rows: Rows) -> str:
    holding = [row for row in rows if row["status"] in ("active", "proposed")]
    past = [row for row in rows if row not in holding]
    now = [f"{_fact(row)} <span class=soft>({_text(row['category'])})</span>" for row in holding]
    before = [_fact(row) for row in past]
    return _section("What is remembered", now) + _section("What was so once", before)


def _fact(row: dict[str, Cell]) -> str:
    """What it is about, and of whom, before its words: "peanuts" alone would not say that they do harm."""
    subject, attribute, value = (str(row[key]) for key in ("subject", "attribute", "value"))
    return escape(told(subject or "user", attribute, value, note=row["kind"] == "note"))


def _summaries(rows: Rows, conversations: Rows) -> str:
    titles = {row["id"]: row["title"] for row in conversations}
    lines = [
        f"{_day(row['at'])}, {_text(titles.get(row['conversation'], ''))}: {_text(row['content'].get('text', ''))}"
        for row in rows
    ]
    return _section("Summaries of conversations", lines)


def _check_ins(rows: Rows) -> str:
    lines: list[str] = []
    for row in rows:
        scores = [
            f"{name} {row[name]} of 10" for name in ("mood", "sleep", "anxiety") if row[name] is not None
        ]
        lines.append(f"{_day(row['at'])}: {escape(', '.join(scores)) or 'checked in'}")
    return _section("Check-ins", lines)


def _conversations(rows: Rows, messages: Rows, name: str) -> str:
    said: dict[str, list[str]] = {}
    for row in sorted(messages, key=lambda row: (row["conversation"], row["position"])):
        if row["text"] is None:
            continue
        who, look = ("You", ' class="person"') if row["role"] == "user" else (name, "")
        line = f"<p{look}><strong>{escape(who)}</strong><br>{_text(row['text'])}</p>"
        said.setdefault(row["conversation"], []).append(line)
    talks = [
        f"<article><h3>{_text(row['title'])}</h3><p class=soft>{_day(row['created_at'])}</p>"
        + "".join(said.get(row["id"], []))
        + "</article>"
        for row in rows
    ]
    return f"<h2>Conversations</h2>{''.join(talks)}" if talks else ""


def _day(at: int) -> str:
    return datetime.fromtimestamp(at / 1_000, UTC).strftime("%Y-%m-%d")
