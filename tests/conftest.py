"""Fixtures shared by all tests."""

from pathlib import Path

import pytest
from hypothesis import settings

from browser import Tab, chromium

settings.register_profile("untimed", deadline=None)  # a busy machine makes no test fail
settings.load_profile("untimed")
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real trajectories beside the checkout; tests that need it are skipped without it."""
    if not SHARED.is_dir():
        pytest.skip("the real trajectories are not beside this checkout")
    return SHARED


@pytest.fixture(scope="session")
def browser():
    """One Chromium for all tests marked web."""
    with chromium() as started:
        yield started


@pytest.fixture
def tab(browser):
    """A fresh page of it, without a past."""
    with browser.new_context() as context:
        yield Tab(context.new_page())
