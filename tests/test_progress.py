import pytest

from incrowd import progress


def heard():
    said = []
    return said, progress.listening(lambda *words: said.append(words))


def test_without_a_listener_items_pass_in_silence():
    assert list(progress.track("abc", "letters")) == ["a", "b", "c"]
    progress.tell("nothing", 1, 1)


def test_each_item_is_told_after_it_is_done():
    said, listening = heard()
    with listening:
        for letter in progress.track("ab", "letters"):
            said.append(letter)
    assert said == [("letters", 0, 2), "a", ("letters", 1, 2), "b", ("letters", 2, 2)]


def test_items_of_unknown_number_need_a_total():
    said, listening = heard()
    with listening:
        assert list(progress.track(iter("ab"), "letters", total=2.5)) == ["a", "b"]
    assert said[-1] == ("letters", 2, 2.5)
    with pytest.raises(TypeError):
        list(progress.track(iter("ab"), "letters"))


def test_listening_ends_with_its_block_even_when_it_fails():
    said, listening = heard()
    with pytest.raises(KeyError), listening:
        raise KeyError
    progress.tell("late", 1, 1)
    assert said == []


def test_the_inner_listener_hears_alone():
    outer, listening = heard()
    inner, closer = heard()
    with listening:
        with closer:
            progress.tell("inside", 1, 1)
        progress.tell("outside", 1, 1)
    assert (inner, outer) == ([("inside", 1, 1)], [("outside", 1, 1)])


def test_who_reads_along_gets_answers_whoever_listens_to_progress():
    read, (_, listening) = [], heard()
    with progress.reading_along(read.append), listening:
        progress.answered("a section")
    progress.answered("nobody reads")
    assert read == ["a section"]
