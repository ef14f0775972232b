"""One command per verb, thin layers over the library; no logic."""

from incrowd.cli.app import app, main

__all__ = ["app", "main"]
