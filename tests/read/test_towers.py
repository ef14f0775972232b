import pytest

import incrowd as ic


def test_towers_keep_the_order_of_the_file(tmp_path):
    file = tmp_path / "towers.csv"
    file.write_text("id,Latitude,LNG\n9,52,5\n3,51,4\n")
    assert ic.read.towers(file).tolist() == [[5, 52], [4, 51]]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("id,lat\n1,52\n", "no column for lon"),
        ("4.89,52.37\n4.9,52.4\n", r"no column for lon \(has 2 fields"),
        ("lon,lat\n", "no row"),
        ("lon,lat\n5,99\n", "latitude outside"),
        ("lon,lat\n5\n", "cannot be read"),
        ("lon,lat\nx,52\n", "lon is not a number"),
    ],
)
def test_bad_places_get_a_sentence(tmp_path, text, sentence):
    (tmp_path / "towers.csv").write_text(text)
    with pytest.raises(ic.DataError, match=sentence):
        ic.read.towers(tmp_path / "towers.csv")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ic.DataError, match="does not exist"):
        ic.read.towers(tmp_path / "none.csv")
