"""Run by the Python that has scikit-mobility: the worst pair of visits of everybody, on a CSV of visits."""

import json
import sys
import time

import pandas as pd
import skmob
from skmob.privacy.attacks import LocationTimeAttack

table = skmob.TrajDataFrame(pd.read_csv(sys.argv[1], parse_dates=["datetime"]))
begun = time.process_time()
risk = LocationTimeAttack(knowledge_length=2, time_precision=sys.argv[2]).assess_risk(table)
print(json.dumps({"cpu_s": time.process_time() - begun, "risk": risk.sort_values("uid")["risk"].tolist()}))
