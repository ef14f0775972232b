"""incrowd measure accuracy."""

from typing import Any

from incrowd import anonymize, measure
from incrowd.cli.inputs import fingerprints_of, in_python, source_in_python
from incrowd.cli.measure.kgap import Ks
from incrowd.cli.options import Json, Sources, numbers, takes
from incrowd.cli.reading import ReadingOptions, reads
from incrowd.cli.screen import note, present, progress_bar


@reads
@takes(anonymize.Glove, "how", k=(Ks, "2,3,5"))
def accuracy(sources: Sources, reading: ReadingOptions, how: dict[str, Any], as_json: Json = False) -> None:
    """How coarse the data become if everyone hides among k people; runs GLOVE and publishes nothing.

    incrowd measure accuracy trips.csv --k 2,3,5 --max-extent-m 15000 --max-extent-min 360
    """
    methods = [anonymize.Glove(k=k, **how) for k in numbers(how.pop("k"), "--k")]
    after_reshape = how["reshape"] is not None
    with progress_bar():
        data = fingerprints_of(sources, reading)
        accuracies = {}
        for method in methods:
            note(f"glove: {method.estimate(data)}")
            accuracies[method.k] = measure.accuracy(method(data), data, after_reshape=after_reshape)
    words = source_in_python(sources, reading, into="fingerprints")
    glove = in_python(anonymize.Glove, "", k=methods[-1].k, **how)
    call = in_python(measure.accuracy, f"{glove}(data), data", after_reshape=after_reshape)
    present(accuracies if as_json else list(accuracies.values()), f"data = {words}; {call}", as_json=as_json)
