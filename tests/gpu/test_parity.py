import pytest

from incrowd.kernels.gpu.device import missing

if missing():
    pytest.skip(missing(), allow_module_level=True)

from gpu.cases import CASES


@pytest.mark.parametrize("name", CASES)
def test_reference_cpu_and_gpu_agree(name):
    CASES[name]()
