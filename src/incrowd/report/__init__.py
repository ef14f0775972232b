"""Results -> one self-contained HTML file."""
