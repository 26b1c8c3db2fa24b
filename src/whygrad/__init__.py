"""whygrad says why a network is not learning.

`explain(step, *args)` runs one training step and returns a report; `record()` looks at any block of code; `contract()`
declares what a loss trains and what it leaves alone; `watch(model, optimizer)` looks after the gradients of a whole
training. From the command line: `whygrad run train.py`.
"""

from typing import TYPE_CHECKING, Any

from whygrad.contract_api import Contract, checking, contract
from whygrad.faults import BrokenContract, GradientFault
from whygrad.recording_api import explain, record
from whygrad.report.report import Report
from whygrad.rules.finding import Finding

if TYPE_CHECKING:
    from whygrad.live.watching import watch

__version__ = "0.1.0"
__all__ = [
    "BrokenContract",
    "Contract",
    "Finding",
    "GradientFault",
    "Report",
    "checking",
    "contract",
    "explain",
    "record",
    "watch",
]


def __getattr__(name: str) -> Any:
    """Imports on first use: watching needs NumPy, and whoever only explains does not."""
    if name == "watch":
        from whygrad.live.watching import watch

        return watch
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
