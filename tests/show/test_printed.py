"""Sections as text and Markdown: the answer first, numbers to the right, settings last."""

from incrowd.show import Cdf, Section, Table, curve, lined_up, markdown, text

SECTION = Section(
    question="How many people are identified?",
    answer="20.0 % (2 of 10 people).",
    panels=[Cdf("k-gap", "k-gap", "people", (curve("k = 2", [0.1, 0.2]),), "Distribution (n = 10).")],
    tables=[Table(("method", "share", "people"), [("cut", "20.0 %", "10"), ("a|b", "-", "1,200")], "By method.")],
    method=["Counted."],
    options="k = 2, seed 0",
)


def test_text_begins_with_the_answer_and_ends_with_the_settings():
    lines = text(SECTION).splitlines()
    assert lines[0] == "20.0 % (2 of 10 people)."
    assert lines[-1] == "(k = 2, seed 0)"
    assert lines[2:6] == ["By method.", "method   share  people", "cut     20.0 %      10", "a|b          -   1,200"]


def test_text_without_tables_is_two_lines():
    assert text(SECTION, tables=False) == "20.0 % (2 of 10 people).\n(k = 2, seed 0)"


def test_columns_of_words_go_to_the_left():
    assert lined_up(Table(("name", "n"), [("a", "x1 y"), ("bbbbb", "z")])) == ["name   n", "a      x1 y", "bbbbb  z"]


def test_long_words_are_wrapped_and_numbers_are_not():
    lines = lined_up(Table(("test", "n", "why"), [("a", "1,200", "one two three four five six seven")]), width=32)
    assert lines == ["test      n  why", "a     1,200  one two three four five", "             six seven"]


def test_a_table_without_rows_is_its_head():
    assert lined_up(Table(("name", "n"), [])) == ["name  n"]


def test_markdown_escapes_bars_and_names_figures():
    page = markdown(SECTION)
    assert page.startswith("## How many people are identified?\n\n20.0 % (2 of 10 people).\n")
    assert "| a&#124;b | - | 1,200 |" in page and "| --- | --- | --- |" in page
    assert "Figure: Distribution (n = 10)." in page and page.endswith("(k = 2, seed 0)\n")


def test_a_panel_is_found_by_its_name():
    assert SECTION.panel("k-gap") is SECTION.panels[0] and SECTION.panel("other") is None
