"""One command per verb, thin layers over the library; no logic."""

import sys

try:
    from incrowd.cli.app import app, main
except KeyboardInterrupt:  # before there is anything that could answer it
    sys.stderr.write("incrowd: interrupted before it began.\n")
    raise SystemExit(130) from None

__all__ = ["app", "main"]
