// Algorithm 1 for k = 2: whoever are nearest to each other are a pair, in rounds.
// The nearest living id of each candidate, or -1; 1 in `renew` where its list is used up.
extern "C" __global__ void heads(
    const int* candidates, i64 count, const int* ids, const unsigned char* whole, const int* alive, int* near,
    unsigned char* renew
) {
    i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int slot = candidates[i], found = NONE;
    for (int at = 0; at < TAKE && found < 0; at++) {
        int id = ids[(i64)slot * TAKE + at];
        if (id < 0) break;
        if (alive[id]) found = id;
    }
    near[slot] = found;
    renew[i] = found < 0 && !whole[slot];
}

// Whoever are nearest to each other are a pair; their stretch is that of the head of the list.
extern "C" __global__ void mates(
    const int* candidates, i64 count, const int* ids, const i64* over, const i64* under, const int* near, int* alive,
    int* pairs, i64* stretch, int* made
) {
    i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int lo = candidates[i], hi = near[lo];
    if (hi < 0 || near[hi] != lo || lo > hi) return;
    int at = atomicAdd(made, 1), head = 0;
    while (ids[(i64)lo * TAKE + head] != hi) head++;
    pairs[2 * at] = lo, pairs[2 * at + 1] = hi;
    stretch[2 * at] = over[(i64)lo * TAKE + head], stretch[2 * at + 1] = under[(i64)lo * TAKE + head];
    alive[lo] = alive[hi] = 0;
}
