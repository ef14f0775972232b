"""[gramaglia2015, Table 2] as it is printed, and where it contradicts itself."""

from dataclasses import dataclass

MEASURES = ("discarded", "created", "deleted", "position_m", "time_min")
W4M, GLOVE = "W4M-LC", "GLOVE"
LIKE = {"country": ("d4d-civ", "d4d-sen"), "city": ("abidjan", "dakar")}  # whose figures stand beside ours

# People of each pair; those of the cities follow from their printed counts and shares of discarded fingerprints.
CROWD = {"country": "82,000 and 320,000", "city": "about 20,000 in abidjan"}
MADE_UP = (0.17, 0.74)  # samples that W4M-LC makes up, least and most of the table


@dataclass(frozen=True)
class Printed:
    """One column of the table: shares of fingerprints and samples, metres, minutes."""

    discarded: float
    created: float
    deleted: float
    position_m: float
    time_min: float


PRINTED: dict[tuple[str, int, str], Printed] = {
    ("d4d-civ", 2, W4M): Printed(0.013, 0.249, 0.075, 10_190.88, 1_151.51),
    ("d4d-civ", 2, GLOVE): Printed(0, 0, 0.083, 1_013.71, 60.21),
    ("d4d-sen", 2, W4M): Printed(0.001, 0.179, 0.053, 9_392.85, 1_037.74),
    ("d4d-sen", 2, GLOVE): Printed(0, 0, 0.141, 1_312.28, 69.31),
    ("abidjan", 2, W4M): Printed(0.168, 0.208, 0.207, 2_939.70, 2_769.74),
    ("abidjan", 2, GLOVE): Printed(0, 0, 0.0403, 1_323.12, 57.21),
    ("dakar", 2, W4M): Printed(0.014, 0.174, 0.061, 1_889.34, 1_172.66),
    ("dakar", 2, GLOVE): Printed(0, 0, 0.048, 1_249.24, 58.47),
    ("d4d-civ", 5, W4M): Printed(0.015, 0.449, 0.096, 23_534.062, 3_455.94),
    ("d4d-civ", 5, GLOVE): Printed(0, 0, 0.083, 5_129.9, 171.01),
    ("d4d-sen", 5, W4M): Printed(0.012, 0.299, 0.073, 19_881.9, 2_600.64),
    ("d4d-sen", 5, GLOVE): Printed(0, 0, 0.169, 5_694.2, 408.30),
    ("abidjan", 5, W4M): Printed(0.001, 0.738, 0.135, 4_033.4, 3_334.4),
    ("abidjan", 5, GLOVE): Printed(0, 0, 0.0441, 1_870.10, 146.90),
    ("dakar", 5, W4M): Printed(0.008, 0.174, 0.078, 3_365.22, 2_030.13),
    ("dakar", 5, GLOVE): Printed(0, 0, 0.064, 1_596.77, 147.53),
}

DOUBTS: dict[tuple[str, int, str, str], str] = {
    ("city", 2, W4M, "discarded"): "16.8% in abidjan is more than the 10% that may be trashed",
    ("city", 5, W4M, "discarded"): "204 in abidjan are 1.0%, not 0.1%, of the people that its other rows imply",
    ("city", 5, W4M, "created"): "3,310 thousand in dakar are 30%, not 17.4%, of the samples that its other rows imply",
    ("country", 5, GLOVE, "deleted"): "d4d-civ prints the same 1,482 thousand for k = 2 and k = 5",
    ("city", 2, GLOVE, "deleted"): "194496 in abidjan is a count, where the other cells are thousands",
}
