"""The CUDA sources on a CPU: small cases of the parity suite agree, and the emulator sees what it is there to see.

It shows wrong results, reads and writes past the end, missing barriers that change a result, lanes that part, and wrong
arguments. It cannot show what several blocks do to each other's memory at the same moment, in which order their
writes arrive, whether a real compiler takes the sources, or how fast anything is: that takes a GPU.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gpu import cases

HERE = Path(__file__).parent
if sys.platform != "linux" or shutil.which("g++") is None:
    pytest.skip("the emulator of CUDA needs g++ on Linux", allow_module_level=True)

CASES = (
    *("pairs-100-boxes-3:1-uncapped", "pairs-1-2:5", "pairs-long-33", "pairs-long-257"),
    *("nearest-ties-33", "nearest-metres-33", "nearest-take-9", "nearest-places", "nearest-far", "gaps-3"),
    *("glove-2-", "glove-31-2", "glove-31-3-first-merge", "glove-31-5-uncapped-suppress", "glove-33-10-uncapped-merge"),
    *("glove-each-3", "glove-alike-2", "too-small"),
)
KERNELS = """
import os, sys
import cupy, numpy as np

BODIES = {
    "right": "__syncthreads();",
    "race": "",
    "parted": "if (threadIdx.x & 1) __syncwarp();\\n else __syncwarp();",
    "stuck": "if (threadIdx.x) __syncthreads();\\n else __syncwarp();",
}
CODE = '''
extern "C" __global__ void __launch_bounds__(64) NAME(int* out, int count) {
    __shared__ int desk[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    desk[threadIdx.x] = i;
    BODY
    if (i < count) out[i] = desk[63 - threadIdx.x];
}
'''
code = "".join(CODE.replace("NAME", name).replace("BODY", body) for name, body in BODIES.items())
module = cupy.RawModule(code=code, options=("-std=c++17",))
for name, count in [*((name, np.int32(128)) for name in BODIES), ("right", np.int32(129)), ("right", np.int64(128))]:
    pid = os.fork()
    if pid == 0:
        out = cupy.zeros(128, np.int32)
        try:
            module.get_function(name)((3,), (64,), (out, count))
        except AssertionError as error:
            print(error, file=sys.stderr)
            os._exit(3)
        os._exit(0 if (out.reshape(2, 64)[:, ::-1].ravel() == np.arange(128)).all() else 1)
    print(name, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""


def emulated(*words):
    path = os.pathsep.join([str(HERE / "emulator"), *sys.path])
    env = {**os.environ, "PYTHONPATH": path}
    return subprocess.run([sys.executable, *words], env=env, capture_output=True, text=True, check=False)


def test_small_cases_agree():
    made = emulated("-m", "gpu.run", *CASES)
    assert made.returncode == 0, made.stdout + made.stderr
    assert f'"passed": {sum(case.startswith(CASES) for case in cases.CASES)},' in made.stdout


def test_the_emulator_sees_what_is_wrong():
    made = emulated("-c", KERNELS)
    ends = [line.split() for line in made.stdout.splitlines()]
    aborted, segmentation, refused = "-6", "-11", "3"
    assert ends == [
        ["right", "0"],
        ["race", "1"],
        ["parted", aborted],
        ["stuck", aborted],
        ["right", segmentation],
        ["right", refused],
    ]
    for words in ("meet at different lines", "wait for ever", "takes arguments of [8, 4] bytes, and is given [8, 8]"):
        assert words in made.stderr
