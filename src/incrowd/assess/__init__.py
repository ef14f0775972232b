"""The steps run against a question: which method is cheapest, which mitigation suffices, is a dataset safe to publish."""
