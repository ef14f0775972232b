"""What cannot be divided is refused in one sentence that says what to do instead."""

import pytest

import incrowd as ic

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def blocks(spark, city):
    from incrowd.spark import grid

    return grid(spark, city, parts=2, cell_m=500, slot_min=60)


@pytest.fixture(scope="module")
def prints(spark, city):
    from incrowd.spark import fingerprints

    return fingerprints(spark, city, parts=2, cell_m=500, slot_min=60)


@pytest.mark.parametrize("options", [{"exact": True}, {"knowledge": "top"}, {"pionts": 3}])
def test_questions_that_are_not_divided(blocks, options):
    from incrowd.spark import uniqueness

    with pytest.raises(ic.ParameterError, match=r"not divided over blocks|did you mean"):
        uniqueness(blocks, **options)


def test_methods_that_are_not_divided(blocks, prints, tmp_path):
    from incrowd.spark import release

    refused = {
        "not divided over blocks": (blocks, ic.anonymize.LKC()),
        "needs shard_users": (prints, ic.anonymize.Glove(k=2)),
        "needs blocks of Visits": (prints, ic.anonymize.Cut()),
        "other cells or slots": (blocks, ic.anonymize.Generalize(cell_m=1000, slot_min=60)),
        "outside the recording period": (blocks, ic.anonymize.Cut(start_slot=5)),
    }
    for words, (data, method) in refused.items():
        with pytest.raises(ic.IncrowdError, match=words):
            release(data, method, tmp_path / "release")
    assert list(tmp_path.iterdir()) == []


def test_calls_of_one_machine(blocks, prints):
    w4m = ic.anonymize.W4M(k=2, delta_m=100)
    for call, data in ((ic.attack.recover, blocks), (w4m, blocks), (ic.measure.kgap, prints)):
        with pytest.raises(ic.DataError, match=r"got Blocks; blocks are on executors: .* or draw people first"):
            call(data)


def test_sources_that_are_not_read(spark, tmp_path):
    from incrowd.spark import grid

    (tmp_path / "trips.csv").write_text("user,t,lon,lat\na,0,5,52\n")
    with pytest.raises(ic.ParameterError, match="incrowd read"):
        grid(spark, tmp_path / "trips.csv")
    with pytest.raises(ic.DataError, match="give a Parquet path"):
        grid(spark, 7)
    with pytest.raises(ic.ParameterError, match="a list of functions"):
        grid(spark, tmp_path / "trips.csv", clean=ic.clean.duplicates)
    with pytest.raises(ic.IncrowdError, match=r"give a Parquet path|does not exist|no such"):
        grid(spark, "no_such_table")


def test_a_session_of_spark_connect_is_refused_by_name():
    from incrowd.spark.session import check_session

    connect = type("SparkSession", (), {"__module__": "pyspark.sql.connect.session"})()
    with pytest.raises(ic.ParameterError, match="Spark Connect"):
        check_session(connect)


def test_what_is_no_session_and_one_that_was_stopped(city):
    from pyspark.sql import SparkSession

    from incrowd.spark import grid

    stopped = SparkSession.__new__(SparkSession)
    stopped._sc = type("SparkContext", (), {"_jsc": None})()
    for session, words in ((city, "a Spark session comes first"), (stopped, "was stopped")):
        with pytest.raises(ic.ParameterError, match=words):
            grid(session, city)


def test_other_versions_on_executors_are_refused(spark, monkeypatch):
    import sys

    module = sys.modules["incrowd.spark.session"]
    own = module.version
    monkeypatch.setattr(module, "version", lambda name: "0.0" if name == "numpy" else own(name))
    monkeypatch.setattr(module, "_checked", set())
    with pytest.raises(ic.ParameterError, match="an executor has numpy"):
        module.check_session(spark)


def test_every_parameter_is_explained():
    import inspect

    from incrowd import spark
    from incrowd.plain import arguments_of

    calls = {name: getattr(spark, name) for name in spark.__all__ if inspect.isfunction(getattr(spark, name))}
    assert len(calls) >= 5
    for name, call in calls.items():
        named = [p.name for p in inspect.signature(call).parameters.values() if p.kind is not p.VAR_KEYWORD]
        assert [p for p in named if p not in arguments_of(call)] == [], name
