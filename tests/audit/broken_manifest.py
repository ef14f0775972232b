"""Manifests that state what is not so."""

from audit.breaking import BOXES, PEOPLE, POINTS, VISITS, part, stating
from audit.honest import BASES

stating("claims {k: 2, l: 2} on a cut release", "alone", ("cut", "cut-csv"), lambda m: {"claims": {"k": 2, "l": 2}})
stating("claims l = 1 beside k on a cut release", "alone", ("cut",), lambda m: {"claims": {"k": 2, "l": 1}})
stating("claims {k: 2, l: 2} on points, asked for k = 2", "alone", POINTS, lambda m: {"claims": {"k": 2, "l": 2}}, k=2)
stating("claims delta_m on a cut release", "alone", ("cut",), lambda m: {"claims": {"k": 2, "delta_m": 100.0}})
stating(
    "claims a larger k than the crowds have",
    "alone",
    BOXES,
    lambda m: {"claims": {"k": 50}, "parameters": {**m["parameters"], "k": 50}},
)
stating(
    "claims a larger l",
    "alone",
    ("lkc", "lkc-csv"),
    lambda m: {"claims": {**m["claims"], "l": 3}, "parameters": {**m["parameters"], "l": 3}},
)
stating(
    "claims a smaller c",
    "alone",
    ("lkc",),
    lambda m: {"claims": {**m["claims"], "c": 0.05}, "parameters": {**m["parameters"], "c": 0.05}},
)
stating(
    "claims a smaller delta",
    "alone",
    POINTS,
    lambda m: {"claims": {**m["claims"], "delta_m": 5.0}, "parameters": {**m["parameters"], "delta_m": 5}},
)
stating("claims of text", "alone", ("glove",), part("claims", k="three"))
stating("claims no k although the method does", "alone", BOXES[:3], lambda m: {"claims": {}})
stating("claims.values = []", "alone", ("lkc",), part("claims", values=[]))
stating(
    "claims.values in another spelling",
    "alone",
    ("lkc", "lkc-csv"),
    lambda m: {"claims": {**m["claims"], "values": ["HIV"]}, "parameters": {**m["parameters"], "values": ["HIV"]}},
)
stating(
    "claims.values that nobody has, asked for c",
    "alone",
    ("lkc",),
    lambda m: {"claims": {**m["claims"], "values": ["xyz"]}, "parameters": {**m["parameters"], "values": ["xyz"]}},
    c=0.9,
    sensitive="ill",
)
stating(
    "claims another sensitive column",
    "alone",
    ("lkc",),
    lambda m: {"claims": {**m["claims"], "sensitive": "mood"}, "parameters": {**m["parameters"], "sensitive": "mood"}},
)
stating(
    "parameters state another k than the claims",
    "alone",
    (*BOXES, *POINTS, "lkc"),
    lambda m: {"parameters": {**m["parameters"], "k": 100}},
)
stating(
    "a ledger of []",
    "alone",
    PEOPLE,
    lambda m: {"ledger": [], "suppressed": {"records": {}, "attributes": []}, "merged": {}},
)
stating("a ledger of text", "alone", ("cut", "glove"), lambda m: {"ledger": "none"})
stating(
    "a ledger that does not add up",
    "alone",
    PEOPLE,
    lambda m: {"ledger": [*m["ledger"][:-1], {**m["ledger"][-1], "read": m["ledger"][-1]["read"] + 1}]},
)
stating(
    "a ledger with names among its notes",
    "original",
    PEOPLE,
    lambda m: {"ledger": [*m["ledger"][:-1], {**m["ledger"][-1], "notes": {"rider-0007": 3}}]},
)
stating(
    "a ledger that ends with other users",
    "alone",
    ("cut", "lkc"),
    lambda m: {"ledger": [*m["ledger"][:-1], {**m["ledger"][-1], "users": [60, 7]}]},
)
stating("no plane.crs", "original", ("cut", "glove", "split"), part("plane", crs=None))
stating("no plane.crs", "original", ("generalize",), part("plane", crs=None))
stating(
    "another plane.crs",
    "original",
    ("cut", "glove", "generalize"),
    lambda m: {"plane": {**m["plane"], "crs": str(m["plane"]["crs"]).replace("lat_0=52", "lat_0=51")}},
)
stating("no clock.start", "original", ("cut", "glove", "lkc", "crowds"), part("clock", start=None))
stating("no clock.start", "alone", ("generalize",), part("clock", start=None))
stating(
    "clock.start an hour off",
    "original",
    ("cut", "glove", "generalize", "lkc"),
    lambda m: {"clock": {**m["clock"], "start": m["clock"]["start"] + 3600}},
)
stating("no clock.slot_min", "alone", ("cut",), part("clock", slot_min=None))
stating("a finer grain than the slots have", "alone", VISITS, part("clock", grain_s=1))
stating("another time zone", "original", ("cut", "glove", "lkc"), part("clock", time_zone="Asia/Tokyo"))
stating("no time zone although the method had one", "alone", ("generalize",), part("clock", time_zone=None))
stating("another side of the cells", "alone", ("cut", "generalize"), part("plane", cell_m=2500))
stating("no side of the cells", "alone", ("generalize",), part("plane", cell_m=None))
stating("no side of the cells", "original", ("cut",), part("plane", cell_m=None))
stating("another format", "alone", BASES, lambda m: {"format": "incrowd-release/9"})
stating("no id", "alone", ("cut", "counts"), lambda m: {"id": None})
stating("an id that is a name", "alone", ("glove",), lambda m: {"id": "rider-0007"})
stating("software with a name in it", "alone", ("lkc",), lambda m: {"software": "incrowd 0.1.0 by rider-0007"})
stating("an unknown key with a map to people", "alone", BASES, lambda m: {"map": {"0": "rider-0007"}})
stating(
    "an unknown key within the clock", "alone", PEOPLE, lambda m: {"clock": {**m["clock"], "people": ["rider-0001"]}}
)
stating(
    "an unknown parameter", "alone", PEOPLE, lambda m: {"parameters": {**m["parameters"], "note": "0 is rider-0001"}}
)
stating(
    "a parameter of the wrong type",
    "alone",
    ("cut", "glove"),
    lambda m: {"parameters": {**m["parameters"], "k" if "k" in m["parameters"] else "window_h": [1]}},
)
stating("a parameter missing", "alone", PEOPLE, lambda m: {"parameters": dict(list(m["parameters"].items())[1:])})
stating(
    "another noun",
    "alone",
    ("cut", "glove", "w4m", "counts"),
    lambda m: {"noun": "Fingerprints" if m["noun"] == "Visits" else "Visits"},
)
stating("another method", "alone", BASES, lambda m: {"method": "Magic"})
stating("no method", "alone", ("cut", "glove", "lkc"), lambda m: {"method": None})
stating("the method of another kind", "alone", ("cut", "w4m"), lambda m: {"method": "Glove"})
stating(
    "counts of another table", "alone", BASES, lambda m: {"counts": {**m["counts"], "rows": m["counts"]["rows"] + 1}}
)
stating(
    "more people than the crowds",
    "alone",
    PEOPLE,
    lambda m: {"counts": {**m["counts"], "people": m["counts"]["people"] + 1}},
)
stating("bare pseudonyms that are not", "alone", PEOPLE, lambda m: {"counts": {**m["counts"], "bare": 2}})
stating(
    "a declared attribute that is not there",
    "alone",
    ("cut", "lkc"),
    lambda m: {"attributes": [*m["attributes"], "mood"]},
)
stating(
    "suppressed says nothing",
    "alone",
    ("lkc", "split", "w4m"),
    lambda m: {"suppressed": {"records": {}, "attributes": []}},
)
stating("merged says nothing", "alone", ("generalize", "glove"), lambda m: {"merged": {}})
stating("seeded pseudonyms", "alone", PEOPLE, lambda m: {"pseudonyms": "seeded"})
stating("pseudonyms of an unknown source", "alone", PEOPLE, lambda m: {"pseudonyms": "unknown"})
stating(
    "a seed among the parameters",
    "alone",
    ("cut", "dp"),
    lambda m: {"parameters": {**m["parameters"], "pseudonym_seed": 7}},
)
stating(
    "a residual risk of 0",
    "alone",
    ("cut", "generalize", "cut-csv"),
    lambda m: {
        "residual_risk": [
            {
                "measure": "uniqueness",
                "points": 2,
                "knowledge": "random",
                "short": "all",
                "repeats": 1,
                "samples": None,
                "value": 0.0,
                "population": 60,
                "skipped": 0,
                "interval": [0.0, 0.0],
            }
        ]
    },
)
stating("a residual risk of text", "alone", ("cut",), lambda m: {"residual_risk": "none"})
stating(
    "the guarantee says differentially private",
    "alone",
    PEOPLE,
    lambda m: {"guarantee": "differentially private with epsilon 0.1"},
)
stating(
    "the guarantee says k = 100",
    "alone",
    BOXES,
    lambda m: {"guarantee": m["guarantee"].replace(str(m["claims"]["k"]), "100")},
)
stating(
    "another epsilon",
    "alone",
    ("dp",),
    lambda m: {"claims": {**m["claims"], "epsilon": 0.01}, "parameters": {**m["parameters"], "epsilon": 0.01}},
)
stating("another sensitivity", "alone", ("dp",), lambda m: {"parameters": {**m["parameters"], "sensitivity": 1}})
stating(
    "a scale that the noise does not have",
    "original",
    ("dp",),
    lambda m: {"parameters": {**m["parameters"], "scale": 40.0}},
)
stating(
    "a claim per visit instead of per person", "alone", ("dp",), lambda m: {"claims": {**m["claims"], "unit": "visit"}}
)
stating(
    "a rule that the counts do not keep",
    "alone",
    ("counts", "counts-csv"),
    lambda m: {"parameters": {**m["parameters"], "suppress_below": 9}},
)
stating(
    "rounding that was not done", "alone", ("counts",), lambda m: {"parameters": {**m["parameters"], "round_to": 7}}
)
