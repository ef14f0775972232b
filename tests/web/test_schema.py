"""Whatever is sent to an address of the OpenAPI description, the studio answers and never breaks."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from incrowd.web.openapi import description

pytestmark = pytest.mark.web


def test_no_request_breaks_the_studio(ready):
    schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed; run make web")
    from requests import Request
    from requests.exceptions import RequestException

    schema = schemathesis.openapi.from_dict(description())
    operations = [result.ok() for result in schema.get_all_operations()]
    assert len(operations) >= 20
    seen = set()

    @settings(max_examples=300, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(case=st.one_of([operation.as_strategy() for operation in operations]))
    def ask(case):
        try:
            sent = Request(**_requested(case)).prepare()
        except (RequestException, ValueError, TypeError):
            return  # not a request that a browser could send
        body = sent.body or b""
        answer = ready.ask(sent.method, sent.path_url, body if isinstance(body, bytes) else body.encode(), {})
        seen.add((case.operation.path, answer.status))
        assert answer.status < 500, (sent.method, sent.path_url, body, ready.printed[-1:])

    ask()
    assert ready.printed == []
    assert {status for _, status in seen} >= {200, 303, 422}


def _requested(case):
    words = case.as_transport_kwargs(base_url="http://127.0.0.1:8700")
    return {name: words.get(name) for name in ("method", "url", "params", "data", "json") if words.get(name)}
