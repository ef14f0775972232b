"""The nouns: Traces, Visits, Fingerprints, Counts and Release; frozen, columnar, checked at the door."""

from incrowd.data.counts import Counts
from incrowd.data.files import saved as load
from incrowd.data.fingerprints import Fingerprints
from incrowd.data.release import Groups, Release
from incrowd.data.table import UserTable
from incrowd.data.traces import Traces
from incrowd.data.visits import Visits

__all__ = ["Counts", "Fingerprints", "Groups", "Release", "Traces", "UserTable", "Visits", "load"]
