"""whygrad says why a network is not learning.

`explain(step, *args)` runs one training step and returns a report; `record()` watches any block of code; `contract()`
declares what a loss trains and what it leaves alone. From the command line: `whygrad run train.py`.
"""

from whygrad.contract_api import Contract, checking, contract
from whygrad.faults import BrokenContract, GradientFault
from whygrad.recording_api import explain, record
from whygrad.report.report import Report
from whygrad.rules.finding import Finding

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
]
