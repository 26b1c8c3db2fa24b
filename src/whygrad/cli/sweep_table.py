"""What came of a sweep, as text: a table of the configurations, and what went wrong in which."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from whygrad.cli.narrow_table import Column, table

if TYPE_CHECKING:
    from whygrad.rl.sweeping.results import Row, Swept


def lines(swept: Swept, width: int) -> list[str]:
    """The table. The best configuration comes first, those that were stopped early last."""
    from whygrad.rl.sweeping.shown import value_text

    rows = swept.rows
    fields = list(swept.asked.configurations[0])
    columns = [
        Column(field, [value_text(row.settings[field]) for row in rows], 9 - min(at, 3), True)
        for at, field in enumerate(fields)
    ]
    if not fields:
        columns = [Column("", ["all seeds" for _ in rows], 9)]
    short = any(row.counted and row.at < swept.asked.steps for row in rows)
    return table(
        [
            *columns,
            Column("return", ["" if row.mean is None else f"{row.mean:.1f}" for row in rows], 9, True),
            Column("± seeds", ["" if row.deviation is None else f"{row.deviation:.1f}" for row in rows], 8, True),
            Column("n", [str(len(row.counted)) for row in rows], 7, True),
            Column("at step", [f"{row.at:,}" if short and row.counted else "" for row in rows], 5, True),
            Column("to the end", [f"{row.ended} of {len(row.seeds)}" for row in rows], 6, True),
            Column("", [_remark(row) for row in rows], 4),
        ],
        width,
    )


def findings(swept: Swept, width: int) -> list[str]:
    """What went wrong: rule, configuration and seeds, then the sentence."""
    from whygrad.rl.sweeping.results import by_configuration
    from whygrad.rl.sweeping.shown import named

    found = []
    for one, seeds in by_configuration(swept.wrong):
        what = one.found.code or one.found.kind
        of = f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {', '.join(map(str, seeds))}"
        settings = named(swept.asked.swept(one.configuration), " ")
        found.append(f"{what}  {f'{settings}, ' if settings else ''}{of}")
        found += textwrap.wrap(one.found.text, max(width, 40), initial_indent="    ", subsequent_indent="    ")
    return found


def _remark(row: Row) -> str:
    failed = sum(seed.state == "failed" for seed in row.seeds)
    open_ones = 0 if row.stopped is not None else sum(seed.state in ("unfinished", "waiting") for seed in row.seeds)
    said = [
        "stopped early" if row.stopped is not None else "",
        f"{failed} failed" if failed else "",
        f"{open_ones} unfinished" if open_ones else "",
    ]
    return ", ".join(part for part in said if part)
