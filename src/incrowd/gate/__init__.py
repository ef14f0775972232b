"""A gate that runs every night: incrowd.toml, one run in one go, and the history of all runs."""

from incrowd.gate._draft import draft
from incrowd.gate._gate import GateRun, gate
from incrowd.gate._history import History, history
from incrowd.gate.outputs import Outputs
from incrowd.gate.records import RunRecord
from incrowd.gate.settings import GateSettings, load

__all__ = [
    "GateRun",
    "GateSettings",
    "History",
    "Outputs",
    "RunRecord",
    "draft",
    "gate",
    "history",
    "load",
]
