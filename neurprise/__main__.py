"""`python -m neurprise` is the command `neurprise`."""

import sys

from neurprise.cli import main

sys.exit(main())
