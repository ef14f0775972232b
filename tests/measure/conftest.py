import pytest

from incrowd.kernels import using


@pytest.fixture(params=["cpu", "reference"])
def kernels(request):
    """The test runs with the compiled kernels, then with the plain ones, which follow the definitions."""
    with using(request.param):
        yield request.param
