from audit.fuzz import rounds


def test_damaged_folders_neither_crash_nor_pass():
    tally = rounds(seed=1, seconds=60, most=150)
    assert tally["rounds"] == 150 and tally["caught"] > 100
