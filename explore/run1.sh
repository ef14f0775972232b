set -u
cd "$(dirname "$0")/.."
work=$(mktemp -d); mkdir -p $work/path/incrowd-0.dist-info
sed -n 's/^name = /Name: /p; s/^version = /Version: /p' pyproject.toml | tr -d '"' | head -n 2 >$work/path/incrowd-0.dist-info/METADATA
export PYTHONUNBUFFERED=1 NUMBA_CACHE_DIR=$work/numba PYTHONPATH="src:tests:.:$work/path"
( timeout 100 python3 explore/one.py 80 pairs-100-boxes nearest gaps glove-31 glove-33 glove-each glove-shards glove-alike glove-far > $OUT/p1.txt 2>&1 ) &
( timeout 100 python3 explore/one.py 80 glove-2-  glove-257 glove-weights glove-calls glove-long glove-split small room too out glove-4097 > $OUT/p2.txt 2>&1 ) &
timeout 60 python3 explore/two.py 20000 d 5 > $OUT/t0.txt 2>&1
wait
timeout 60 python3 explore/two.py 82000 d 2,5 > $OUT/t1.txt 2>&1
timeout 70 python3 explore/two.py 320000 s 2 > $OUT/t2.txt 2>&1
for f in p1 p2 t0 t1 t2; do echo "== $f"; tail -c 2300 $OUT/$f.txt; done
