// Algorithm 1 driven by the card: pick, join_tried, seed, scan_some and commit are queued again and again, and read
// here what to do. The next pairs, up to AHEAD, are merged side by side into slots of their own, and each new
// fingerprint finds its nearest as if those before it had been merged; then as many are kept as would have been merged
// in this order one by one: up to the first whose new fingerprint comes before the next pair. The others leave no trace.
// A list holds the TAKE nearest; PICKERS blocks pick; AHEAD rows are looked up at once, each after a look at SEEDS
// slots.
enum { MERGES, LIVING, DONE, USED, TRIED, ROWS, STEPS, FIRST_A, FIRST_B = FIRST_A + AHEAD,
       FIRST_ROW = FIRST_B + AHEAD, FIRST_OVER = FIRST_ROW + AHEAD, FIRST_LEFT = FIRST_OVER + AHEAD,
       ALL_STATES = FIRST_LEFT + AHEAD };
static_assert(ALL_STATES <= STATES && PICKERS == THREADS, "as the host has it");

// A pair by (stretch, lo, hi); `other` is -1 where the list of the slot must be scanned first.
struct Key {
    i64 over, under;
    int lo, hi, slot, other;
};
static_assert(sizeof(Key) == KEY_BYTES, "the host counts so many");

struct Herd {
    int* ids;  // lists by slot: TAKE nearest ids as of the last scan, nearest first
    i64 *over, *under;
    unsigned char* whole;  // the list holds everybody there was
    int* slot_of;          // of each living id
    int *candidates, *position;
    i64 count;
    i64* merges;  // lo, hi, numerator, denominator
    Key* keys;    // of each picker the first, the second, and the first whose list is used up
    unsigned* tickets;  // of pickers, then of each row
    Entry* pool;
    int* pool_size;
    u64* most;
    double* seed_value;
    i64* state;
    int* scratch;
    Chart* charts;
    int* spare;  // slots that nobody is in
    u64* sums;
    i64 users, k, most_space, most_time, uncapped, scratch_each;
};

__device__ __forceinline__ bool key_before(const Key& a, const Key& b) {
    if (a.slot < 0 || b.slot < 0) return b.slot < 0 && a.slot >= 0;
    int sign = compare(a.over, a.under, b.over, b.under);
    if (sign) return sign < 0;
    return a.lo != b.lo ? a.lo < b.lo : a.hi < b.hi;
}

__device__ __forceinline__ Key no_key() {
    Key key = {NEVER, 1, LAST_ID, LAST_ID, NONE, NONE};
    return key;
}

__device__ Key key_of(const Herd& h, int slot, int ident) {
    const int* ids = h.ids + (i64)slot * TAKE;
    int at = 0;
    while (at < TAKE && ids[at] >= 0 && h.slot_of[ids[at]] < 0) at++;
    if (at < TAKE && ids[at] < 0) at = TAKE;
    if (at == TAKE && h.whole[slot]) return no_key();
    i64 place = (i64)slot * TAKE + min(at, TAKE - 1);
    // Whoever is as near as the last of a used-up list has a larger id than that.
    Key key = {h.over[place], h.under[place], at == TAKE ? ids[TAKE - 1] + 1 : ids[at], ident, slot,
               at == TAKE ? NONE : ids[at]};
    return key;
}

__device__ Key smallest(Key mine, Key* desk) {
    desk[threadIdx.x] = mine;
    __syncthreads();
    for (int half = blockDim.x / 2; half; half /= 2) {
        if (threadIdx.x < half && key_before(desk[threadIdx.x + half], desk[threadIdx.x]))
            desk[threadIdx.x] = desk[threadIdx.x + half];
        __syncthreads();
    }
    Key found = desk[0];
    __syncthreads();
    return found;
}

__device__ __forceinline__ Key fresh(const Key* keys, int at) {
    const volatile Key& k = keys[at];
    Key key = {k.over, k.under, k.lo, k.hi, k.slot, k.other};
    return key;
}

// Of the pairs that are surely the next, in order, those to try: none of two has a member in common. Whoever loses its
// nearest to an earlier one may have another that comes first, so that nothing is tried after it. By one warp, a lane
// for each that is tried.
__device__ void choose(const Prints& p, const Herd& h, const int* lower, const int* upper, int count) {
    int lane = threadIdx.x, one = NONE, two = NONE, tried = 0, rows = 0, renewed = NONE;
    for (int n = 0; n < count && tried + rows < AHEAD; n++) {
        int a = lower[n], b = upper[n];
        bool gone = __ballot_sync(ALL_LANES, b == one || b == two);
        bool widowed = __ballot_sync(ALL_LANES, a >= 0 && (a == one || a == two));
        if (gone) continue;
        if (widowed) break;
        if (a < 0) {
            // What comes after a list that is used up is not known, but other such lists will be asked for too.
            if (lane == rows) renewed = b;
            rows++;
        } else if (rows == 0) {
            if (lane == tried) one = a, two = b;
            tried++;
        }
    }
    if (lane < tried) {
        h.state[FIRST_A + lane] = one, h.state[FIRST_B + lane] = two, h.state[FIRST_ROW + lane] = h.spare[lane];
        p.where[one].taken = p.where[two].taken = lane + 1;
    }
    if (lane < rows) h.state[FIRST_ROW + tried + lane] = renewed;
    if (lane == 0) h.state[TRIED] = tried, h.state[ROWS] = tried + rows;
}

// The used-up lists with the smallest bounds, where one of them comes before every pair.
__device__ void renew(const Herd& h, double* bounds) {
    Key mine = fresh(h.keys, 2 * PICKERS + threadIdx.x);
    double bound = mine.slot < 0 ? no_bar().most : (double)mine.over / (double)mine.under;
    int spent = __syncthreads_count(mine.slot >= 0), place = 0;
    bounds[threadIdx.x] = bound;
    __syncthreads();
    for (int e = 0; e < PICKERS; e++) place += bounds[e] < bound || (bounds[e] == bound && e < threadIdx.x);
    if (mine.slot >= 0 && place < AHEAD) h.state[FIRST_ROW + place] = mine.slot;
    if (threadIdx.x == 0) h.state[TRIED] = 0, h.state[ROWS] = min(spent, AHEAD);
}

// What comes next, by the last block.
__device__ void decide(const Prints& p, const Herd& h, Key* desk) {
    __shared__ Key next[PICKERS];
    __shared__ int lower[PICKERS], upper[PICKERS], flagged;
    __shared__ double bounds[PICKERS];
    Key mine = fresh(h.keys, threadIdx.x);
    Key limit = smallest(fresh(h.keys, PICKERS + threadIdx.x), desk);
    if (threadIdx.x == 0) flagged = 0;
    __syncthreads();
    // Whatever comes before every second is in its place among the first ones.
    int at = NONE;
    if (mine.slot >= 0 && key_before(mine, limit)) {
        at = atomicAdd(&flagged, 1);
        next[at] = mine;
    }
    __syncthreads();
    int count = flagged, place = 0;
    for (int e = 0; at >= 0 && e < count; e++) place += key_before(next[e], mine);
    if (at >= 0) lower[place] = mine.other < 0 ? NONE : h.slot_of[mine.other], upper[place] = mine.slot;
    __syncthreads();
    if (threadIdx.x == 0) {
        h.state[STEPS]++;
        *h.tickets = 0;
        if (count == 0) h.state[DONE] = 1, h.state[TRIED] = h.state[ROWS] = 0;
    }
    if (count == 0) return;
    if (lower[0] < 0) renew(h, bounds);
    else if (threadIdx.x < 32) choose(p, h, lower, upper, count);
}

extern "C" __global__ void __launch_bounds__(THREADS) pick(BY_VALUE Prints p, BY_VALUE Herd h) {
    __shared__ Key desk[THREADS];
    __shared__ bool last;
    if (h.state[DONE]) return;
    Key first = no_key(), second = no_key(), empty = no_key();
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < h.count; i += gridDim.x * THREADS) {
        int slot = h.candidates[i];
        if (slot < 0 || p.where[slot].state != ACTIVE) continue;
        Key key = key_of(h, slot, p.outline[slot].ident);
        if (key_before(key, first)) second = first, first = key;
        else if (key_before(key, second)) second = key;
        if (key.other < 0 && key_before(key, empty)) empty = key;
    }
    Key best = smallest(first, desk);
    second = smallest(best.slot == first.slot ? second : first, desk);
    empty = smallest(empty, desk);
    if (threadIdx.x == 0) {
        h.keys[blockIdx.x] = best;
        h.keys[PICKERS + blockIdx.x] = second;
        h.keys[2 * PICKERS + blockIdx.x] = empty;
        __threadfence();
        last = atomicAdd(h.tickets, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    decide(p, h, desk);
}
