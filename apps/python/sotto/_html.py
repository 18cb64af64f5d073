"""Tables of HTML, with all texts escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

CELL = 'style="text-align:left;padding:2px 12px 2px 0"'


def table(rows: Iterable[Sequence[object]], head: Sequence[object] = ()) -> str:
    """Cells are texts."""

    def line(cells: Sequence[object], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag} {CELL}>{escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    lines = [line(head, "th")] if head else []
    return "<table>" + "".join(lines + [line(cells, "td") for cells in rows]) + "</table>"


def paragraph(text: str, *, warns: bool = False) -> str:
    style = ' style="color:#b00020"' if warns else ""
    return f"<p{style}>{escape(text)}</p>"


def grouped(number: float) -> str:
    """1234567 as 1,234,567."""
    return f"{number:,.0f}"
