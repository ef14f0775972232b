"""incrowd anonymize lkc."""

from incrowd.kernels.cpu import lkc


def test_an_interrupted_suppression_leaves_nothing(incrowd, two, tmp_path, monkeypatch):
    folder, link = tmp_path / "release", tmp_path / "link.csv"

    def interrupted(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(lkc, "project_sets", interrupted)
    words = ("--keep-link", link, "--l", 1, "--k", 1, "--same-time", "order")
    code, out, _ = incrowd("anonymize", "lkc", two[0], "-o", folder, *words)
    assert code == 130 and out == "" and not list(tmp_path.glob("*release*")) and not link.exists()
