"""Fixtures shared by all tests."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real trajectories beside the checkout; tests that need it are skipped without it."""
    if not SHARED.is_dir():
        pytest.skip("the real trajectories are not beside this checkout")
    return SHARED
