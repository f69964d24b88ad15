# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""The results."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Row:
    name: str
    inFlight: int
    perSecond: float
    p50Micros: float
    p99Micros: float
    # Of the server's processes together, user and system.
    cpuMicrosPerCall: float
    # Resident, of the server's processes together.
    peakMiB: float


COLUMNS = [
    ("name", 28), ("in flight", 9), ("calls/s", 9), ("p50 µs", 9), ("p99 µs", 9), ("CPU µs/call", 11), ("peak MiB", 9)]


def line(cells: list[str]) -> str:
    widths = [width for _, width in COLUMNS]
    return "  ".join([cells[0].ljust(widths[0]), *map(str.rjust, cells[1:], widths[1:])])


def header() -> str:
    return line([title for title, _ in COLUMNS])


def text(row: Row) -> str:
    return line([
        row.name, str(row.inFlight), f"{row.perSecond:,.0f}", f"{row.p50Micros:,.0f}", f"{row.p99Micros:,.0f}",
        f"{row.cpuMicrosPerCall:,.1f}", f"{row.peakMiB:,.1f}"])


def table(rows: list[Row]) -> str:
    rule = "-" * len(header())
    return "\n".join([rule, header(), rule, *map(text, rows), rule])


def write_json(rows: list[Row], path: Path) -> None:
    rounded = [
        {key: round(value, 2) if isinstance(value, float) else value for key, value in asdict(row).items()}
        for row in rows]
    path.write_text(json.dumps(rounded, indent=1) + "\n")
