// Algorithm 1 driven by the card: pick, join, seed and scan are queued again and again, and read here what to do.
// A list holds the TAKE nearest; PICKERS blocks pick; AHEAD lists are renewed at once, each after a look at SEEDS slots.
enum { MODE, SLOT_A, SLOT_B, ROWS, MERGES, LIVING, DONE, USED, FIRST_ROW, FIRST_SEED = FIRST_ROW + AHEAD };
enum { NOTHING, JOIN, RESCAN };

// The next pair by (stretch, lo, hi); `other` is -1 where the list of the slot must be scanned first.
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
    Key *keys, *spent;
    unsigned* tickets;  // of pickers, then of each row
    Entry* pool;
    int* pool_size;
    u64* most;
    double* seed_value;
    i64* state;
    int* scratch;
    u64* sums;
    i64 users, k, most_space, most_time, uncapped;
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

// What comes next: the pair to join, or the used-up lists to renew, those with the smallest bounds first.
__device__ void decide(const Herd& h, Key next, const Key* spent) {
    i64* state = h.state;
    if (next.slot < 0) {
        if (threadIdx.x == 0) state[DONE] = 1, state[MODE] = NOTHING, state[ROWS] = 0;
    } else if (next.other >= 0) {
        if (threadIdx.x == 0) {
            state[MODE] = JOIN, state[ROWS] = 0;
            state[SLOT_A] = h.slot_of[next.other], state[SLOT_B] = next.slot;
        }
    } else {
        int rows = 0;
        for (int e = 0; e < PICKERS; e++) rows += spent[e].slot >= 0;
        if (threadIdx.x == 0) state[MODE] = RESCAN, state[ROWS] = min(rows, AHEAD);
        if (threadIdx.x < PICKERS && spent[threadIdx.x].slot >= 0) {
            int place = 0;
            for (int e = 0; e < PICKERS; e++) place += key_before(spent[e], spent[threadIdx.x]);
            if (place < AHEAD) state[FIRST_ROW + place] = spent[threadIdx.x].slot;
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) pick(BY_VALUE Prints p, BY_VALUE Herd h) {
    __shared__ Key desk[THREADS], spent[PICKERS];
    __shared__ bool last;
    if (h.state[DONE]) return;
    Key best = no_key(), empty = no_key();
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < h.count; i += gridDim.x * THREADS) {
        int slot = h.candidates[i];
        if (p.where[slot].state != ACTIVE) continue;
        Key key = key_of(h, slot, p.outline[slot].ident);
        if (key_before(key, best)) best = key;
        if (key.other < 0 && key_before(key, empty)) empty = key;
    }
    best = smallest(best, desk);
    empty = smallest(empty, desk);
    if (threadIdx.x == 0) {
        h.keys[blockIdx.x] = best;
        h.spent[blockIdx.x] = empty;
        __threadfence();
        last = atomicAdd(h.tickets, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    Key found = no_key();
    if (threadIdx.x < PICKERS) {
        const volatile Key& k = h.keys[threadIdx.x];
        const volatile Key& s = h.spent[threadIdx.x];
        found.over = k.over, found.under = k.under, found.lo = k.lo, found.hi = k.hi, found.slot = k.slot;
        found.other = k.other;
        Key e = {s.over, s.under, s.lo, s.hi, s.slot, s.other};
        spent[threadIdx.x] = e;
    }
    found = smallest(found, desk);
    if (threadIdx.x == 0) *h.tickets = 0;
    decide(h, found, spent);
}

// The pair that was picked. What both lists held is likely near to the new one.
extern "C" __global__ void __launch_bounds__(512) join_step(BY_VALUE Prints p, BY_VALUE Herd h) {
    i64* state = h.state;
    if (state[DONE] || state[MODE] != JOIN) return;
    int a = (int)state[SLOT_A], b = (int)state[SLOT_B], at = (int)state[USED], left;
    int lo = p.outline[a].ident, hi = p.outline[b].ident;
    i64 under = (i64)(p.outline[a].people + p.outline[b].people) * max(p.outline[a].size, p.outline[b].size);
    if (threadIdx.x < 2 * TAKE)
        state[FIRST_SEED + threadIdx.x] = h.ids[(i64)(threadIdx.x < TAKE ? a : b) * TAKE + threadIdx.x % TAKE];
    __syncthreads();
    Limits limits = {h.most_space, h.most_time, (int)h.uncapped, 0};
    i64 over = join_pair(p, a, b, at, limits, h.scratch, left);
    if (threadIdx.x) return;
    i64 merge = state[MERGES]++;
    int ident = (int)(h.users + merge);
    i64* row = h.merges + 4 * merge;
    row[0] = lo, row[1] = hi, row[2] = over, row[3] = under;
    h.slot_of[lo] = h.slot_of[hi] = NONE;
    bool finished = p.outline[a].people >= h.k, living = left && !finished;
    p.where[b].state = DEAD;
    p.where[a].state = !left ? DEAD : finished ? FINISHED : ACTIVE;
    p.outline[a].ident = ident;
    if (left) h.slot_of[ident] = a;
    state[USED] += left;
    state[LIVING] -= living ? 1 : 2;
    state[ROWS] = living;
    state[FIRST_ROW] = a;
    if (state[LIVING] < 2) state[DONE] = 1, state[ROWS] = 0;
}

// The stretch of each row to a few who are likely near: SEEDS / WARPS blocks a row, a warp each.
extern "C" __global__ void __launch_bounds__(THREADS) seed(BY_VALUE Prints p, BY_VALUE Herd h) {
    __shared__ W low[WARPS][TABLE];
    int r = blockIdx.y, lane = threadIdx.x & 31, mine = blockIdx.x * WARPS + threadIdx.x / 32;
    if (h.state[DONE] || r >= h.state[ROWS]) return;
    int row = (int)h.state[FIRST_ROW + r], ident = p.outline[row].ident, slot = NONE;
    int beside = h.position[row] + lane - SEEDS / 2;
    if (beside >= 0 && beside < h.count) slot = h.candidates[beside];
    if (lane < 2 * TAKE && h.state[MODE] == JOIN) {
        int id = (int)h.state[FIRST_SEED + lane];
        slot = id < 0 ? NONE : h.slot_of[id];
    }
    if (slot == row || (slot >= 0 && (p.where[slot].state != ACTIVE || p.outline[slot].ident >= ident))) slot = NONE;
    unsigned same = __match_any_sync(ALL_LANES, slot);
    if (__ffs(same) - 1 != lane) slot = NONE;
    slot = __shfl_sync(ALL_LANES, slot, mine);
    double value = no_bar().most;
    if (slot >= 0) {
        i64 under;
        Work work = {0, 0, 0, 0, 0};
        i64 over = within(p, row, slot, no_bar(), low[threadIdx.x / 32], work, under);
        value = (double)over / (double)under * SLACK;
    }
    if (lane == 0) h.seed_value[r * SEEDS + mine] = value;
}

// What the seeds say: nothing beyond their TAKE-th can be in the list. By one warp.
__device__ double seeded(const Herd& h, int r) {
    int lane = threadIdx.x & 31, place = 0;
    double mine = h.seed_value[r * SEEDS + lane];
    for (int e = 0; e < SEEDS; e++) {
        double other = __shfl_sync(ALL_LANES, mine, e);
        place += other < mine || (other == mine && e < lane);
    }
    unsigned all = __ballot_sync(ALL_LANES, place == TAKE - 1);
    return __shfl_sync(ALL_LANES, mine, __ffs(all) - 1);
}

// The last block of a row sorts what all have found.
__device__ void finish(const Herd& h, int row, const Entry* pool, int size) {
    i64 base = (i64)row * TAKE;
    if (threadIdx.x < TAKE) {
        i64 at = base + threadIdx.x;
        h.ids[at] = NONE, h.over[at] = NEVER, h.under[at] = 1;
    }
    if (threadIdx.x == 0) h.whole[row] = size < TAKE;
    __syncthreads();
    for (int e = threadIdx.x; e < size; e += THREADS) {
        Entry mine = pool[e];
        int place = place_among(pool, size, mine, TAKE);
        if (place >= TAKE) continue;
        i64 at = base + place;
        h.ids[at] = mine.ident, h.over[at] = mine.over, h.under[at] = mine.under;
    }
}

// The lists of the rows in question, each by many blocks.
extern "C" __global__ void __launch_bounds__(THREADS) scan_some(BY_VALUE Prints p, BY_VALUE Herd h) {
    __shared__ Entry lists[WARPS * TAKE];
    __shared__ Desk desk;
    __shared__ double most;
    __shared__ bool last;
    int rows = (int)h.state[ROWS];
    if (h.state[DONE] || !rows) return;
    int parts = gridDim.x / rows, r = blockIdx.x / parts, part = blockIdx.x % parts;
    if (r >= rows) return;
    int row = (int)h.state[FIRST_ROW + r];
    if (threadIdx.x < 32) {
        double value = seeded(h, r);
        if (threadIdx.x == 0) most = value;
    }
    __syncthreads();
    Work work = {0, 0, 0, 0, 0};
    Asked asked = {row, p.outline[row].ident, TAKE, 1};
    Range range = {h.candidates, part, parts, (int)max(0LL, (h.count - part + parts - 1) / parts)};
    clear(desk, lists, TAKE, most);
    search(p, asked, range, ACTIVE, desk, lists, h.most + r, work);
    Entry* pool = h.pool + (i64)r * parts * TAKE;
    if (threadIdx.x < WARPS * TAKE) {
        Entry mine = lists[threadIdx.x];
        if (mine.slot >= 0 && place_among(lists, WARPS * TAKE, mine, TAKE) < TAKE
            && (double)mine.over <= desk.bar.most * (double)mine.under) {
            pool[atomicAdd(h.pool_size + r, 1)] = mine;
            __threadfence();
        }
    }
    account(work, h.sums);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();  // what all of the block have put into the pool comes before its ticket
        last = atomicAdd(h.tickets + 1 + r, 1u) == parts - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    finish(h, row, pool, atomicAdd(h.pool_size + r, 0));
    __syncthreads();
    if (threadIdx.x == 0) {
        h.pool_size[r] = 0;
        h.tickets[1 + r] = 0;
        h.most[r] = (u64)__double_as_longlong(no_bar().most);
    }
}

// For k = 2: the nearest living id of each candidate, or -1; 1 in `renew` where its list is used up.
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
