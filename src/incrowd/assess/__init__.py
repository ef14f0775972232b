"""The steps run against a question: which method is cheapest, which mitigation suffices, is it safe to publish?"""
