"""whygrad says why a network is not learning.

`explain(step, *args)` runs one training step and returns a report; `record()` watches any block of code. From the
command line: `whygrad run train.py`.
"""

from whygrad.recording_api import explain, record
from whygrad.report.report import Report
from whygrad.rules.finding import Finding

__version__ = "0.1.0"
__all__ = ["Finding", "Report", "explain", "record"]
