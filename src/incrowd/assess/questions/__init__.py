"""What an assessment asks: singling out, linkability, inference, aggregates."""
