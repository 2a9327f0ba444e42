"""`python -m pointsman` is the command `pointsman`."""

import sys

from pointsman.cli import main

sys.exit(main())
