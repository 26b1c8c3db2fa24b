"""`python -m whygrad`."""

import sys

from whygrad.cli.main import main

sys.exit(main())
