"""`python -m tinytie` is the same program as `tinytie`."""

import sys

from tinytie.cli.main import main

sys.exit(main())
