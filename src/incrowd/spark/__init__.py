"""The same answers where data are in a Spark cluster: executors run the code of one machine on blocks of whole users.

A source is a Parquet path, a table name or a DataFrame with named columns. Every result is that of the local call, bit
for bit; docs/scale.md says who needs this, and docs/howto/spark.md how to submit it.
"""

from importlib.util import find_spec

from incrowd.errors import MissingExtra

if find_spec("pyspark") is None:
    raise MissingExtra("incrowd.spark needs pyspark; install it with: pip install 'incrowd[spark]'.")

from incrowd.spark.blocks import Blocks
from incrowd.spark.discretize import counts, fingerprints, grid
from incrowd.spark.kgap import kgap
from incrowd.spark.release import release
from incrowd.spark.session import session
from incrowd.spark.sweep import sweep
from incrowd.spark.uniqueness import uniqueness

__all__ = ["Blocks", "counts", "fingerprints", "grid", "kgap", "release", "session", "sweep", "uniqueness"]
