"""Hot loops on arrays alone: reference (plain, as the definitions read) and cpu (numba), same signatures."""
