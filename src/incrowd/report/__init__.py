"""Results -> one self-contained HTML file: question, answer, number first; figure; then method and caveats."""

from incrowd.report.page import write

__all__ = ["write"]
