"""Makes `program_runner` importable from every folder of tests, and Ctrl-C work in the programs that tests start."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

# A shell has SIGINT ignored in what it starts in the background, and programs inherit that; tests send it to some.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
