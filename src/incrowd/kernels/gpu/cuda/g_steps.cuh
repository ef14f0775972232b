// What follows a pick: merges that are tried, the nearest of what they make, and how many of them stay.
__device__ __forceinline__ bool goes_on(const Prints& p, const Herd& h, int r) {
    return r >= h.state[TRIED] || (h.state[FIRST_LEFT + r] && p.outline[h.state[FIRST_ROW + r]].people < h.k);
}

// Whom a row may look at: those before it have been merged by then.
__device__ __forceinline__ Asked asked_by(const Prints& p, const Herd& h, int r) {
    int row = (int)h.state[FIRST_ROW + r];
    Asked asked = {row, p.outline[row].ident, TAKE, 1, r < h.state[TRIED] ? r + 1 : 0};
    return asked;
}

extern "C" __global__ void __launch_bounds__(512) join_tried(BY_VALUE Prints p, BY_VALUE Herd h) {
    int j = blockIdx.x, e = threadIdx.x & 31, left, shorter = 0;
    if (h.state[DONE] || j >= h.state[TRIED]) return;
    if (e < j) shorter = min(p.outline[h.state[FIRST_A + e]].size, p.outline[h.state[FIRST_B + e]].size);
    int at = (int)(h.state[USED] + warp_sum(shorter));
    int into = (int)h.state[FIRST_ROW + j];
    Limits limits = {h.most_space, h.most_time, (int)h.uncapped, 0};
    int* scratch = h.scratch + j * h.scratch_each;
    int a = (int)h.state[FIRST_A + j], b = (int)h.state[FIRST_B + j];
    i64 over = join_pair(p, a, b, into, at, limits, scratch, left);
    if (threadIdx.x) return;
    h.state[FIRST_OVER + j] = over, h.state[FIRST_LEFT + j] = left;
    p.outline[into].ident = (int)(h.users + h.state[MERGES] + j);
    p.where[into].state = DEAD, p.where[into].taken = 0;
}

// The stretch of each row to a few who are likely near, a warp each, by SEEDS / WARPS blocks a row; by others its chart.
extern "C" __global__ void __launch_bounds__(THREADS) seed(BY_VALUE Prints p, BY_VALUE Herd h) {
    __shared__ W low[WARPS][TABLE];
    int r = blockIdx.y, lane = threadIdx.x & 31, mine = blockIdx.x * WARPS + threadIdx.x / 32, slot = NONE;
    if (h.state[DONE] || r >= h.state[ROWS] || !goes_on(p, h, r)) return;
    Asked asked = asked_by(p, h, r);
    if (blockIdx.x >= SEEDS / WARPS) {
        chart_part(p, asked.row, h.charts[r], blockIdx.x - SEEDS / WARPS, CHARTERS);
        return;
    }
    int a = asked.turn ? (int)h.state[FIRST_A + r] : asked.row, beside = h.position[a] + lane - SEEDS / 2;
    if (beside >= 0 && beside < h.count) slot = h.candidates[beside];
    if (lane < 2 * TAKE && asked.turn) {
        // What both lists held is likely near to the new one.
        int id = h.ids[(lane < TAKE ? (i64)a : h.state[FIRST_B + r]) * TAKE + lane % TAKE];
        slot = id < 0 ? NONE : h.slot_of[id];
    }
    if (!is_candidate(p, asked, slot, ACTIVE)) slot = NONE;
    unsigned same = __match_any_sync(ALL_LANES, slot);
    if (__ffs(same) - 1 != lane) slot = NONE;
    slot = __shfl_sync(ALL_LANES, slot, mine);
    double value = no_bar().most;
    if (slot >= 0) {
        i64 under;
        Work work = {0, 0, 0, 0, 0};
        i64 over = within(p, asked.row, slot, no_bar(), low[threadIdx.x / 32], work, under);
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
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT) scan_some(BY_VALUE Prints p, BY_VALUE Herd h) {
    __shared__ Entry lists[WARPS * TAKE];
    __shared__ Desk desk;
    __shared__ Chart chart;
    __shared__ double most;
    __shared__ bool last;
    int rows = (int)h.state[ROWS];
    if (h.state[DONE] || !rows) return;
    int parts = gridDim.x / rows, r = blockIdx.x / parts, part = blockIdx.x % parts;
    if (r >= rows || !goes_on(p, h, r)) return;
    Asked asked = asked_by(p, h, r);
    for (int w = threadIdx.x; w < sizeof(Chart) / 16; w += THREADS)
        ((uint4*)&chart)[w] = ((const uint4*)(h.charts + r))[w];
    if (threadIdx.x < 32) {
        double value = seeded(h, r);
        if (threadIdx.x == 0) most = value;
    }
    __syncthreads();
    Work work = {0, 0, 0, 0, 0};
    Range range = {h.candidates, part, parts, (int)max(0LL, (h.count - part + parts - 1) / parts)};
    clear(desk, lists, TAKE, most);
    // Those made by the merges before are not among the candidates yet.
    int earlier = part == 0 && threadIdx.x + 1 < asked.turn ? (int)h.state[FIRST_ROW + threadIdx.x] : NONE;
    enqueue(desk.narrow, desk.second, earlier >= 0 && goes_on(p, h, threadIdx.x), earlier);
    search(p, asked, range, ACTIVE, chart, desk, lists, h.most + r, work);
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
    finish(h, asked.row, pool, atomicAdd(h.pool_size + r, 0));
    __syncthreads();
    if (threadIdx.x == 0) {
        h.pool_size[r] = 0;
        h.tickets[1 + r] = 0;
        h.most[r] = (u64)__double_as_longlong(no_bar().most);
    }
}

// How many of the merges stay: up to the first whose new fingerprint comes before the next pair.
__device__ int kept_of(const Key* pairs, const Key* made, int tried) {
    Key first = no_key();
    int kept = 0;
    while (kept < tried && (kept == 0 || key_before(pairs[kept], first))) {
        if (key_before(made[kept], first)) first = made[kept];
        kept++;
    }
    return kept;
}

// By one warp, a lane a merge.
extern "C" __global__ void __launch_bounds__(32) commit(BY_VALUE Prints p, BY_VALUE Herd h) {
    __shared__ Key pairs[AHEAD], made[AHEAD];
    i64* state = h.state;
    int tried = (int)state[TRIED], j = threadIdx.x, shorter = 0, gone = 0, a = 0, b = 0, into = 0, lo = 0, hi = 0;
    if (state[DONE] || !tried) return;
    bool left = false, lives = false;
    i64 under = 1, merges = state[MERGES];
    if (j < tried) {
        a = (int)state[FIRST_A + j], b = (int)state[FIRST_B + j], into = (int)state[FIRST_ROW + j];
        left = state[FIRST_LEFT + j], lives = goes_on(p, h, j);
        Outline one = p.outline[a], two = p.outline[b];
        lo = one.ident, hi = two.ident, shorter = min(one.size, two.size);
        under = (i64)(one.people + two.people) * max(one.size, two.size);
        Key pair = {state[FIRST_OVER + j], under, lo, hi, b, lo};
        i64 at = (i64)into * TAKE;
        Key key = {h.over[at], h.under[at], h.ids[at], p.outline[into].ident, into, h.ids[at]};
        pairs[j] = pair;
        made[j] = lives && h.ids[at] >= 0 ? key : no_key();
    }
    __syncwarp();
    int kept = kept_of(pairs, made, tried);
    if (j < kept) {
        int ident = (int)(h.users + merges + j), place = h.position[a];
        i64* row = h.merges + 4 * (merges + j);
        row[0] = lo, row[1] = hi, row[2] = state[FIRST_OVER + j], row[3] = under;
        h.slot_of[lo] = h.slot_of[hi] = NONE;
        if (left) h.slot_of[ident] = into;
        p.where[a].state = p.where[b].state = DEAD;
        p.where[into].state = !left ? DEAD : lives ? ACTIVE : FINISHED;
        h.candidates[h.position[b]] = NONE;
        h.candidates[place] = lives ? into : NONE;
        if (lives) h.position[into] = place;
        if (left) h.spare[j] = a;
        gone = lives ? 1 : 2;
    }
    if (j < tried) p.where[a].taken = p.where[b].taken = 0;
    int used = (int)warp_sum(j < kept ? shorter : 0);
    gone = (int)warp_sum(gone);
    if (j) return;
    state[MERGES] = merges + kept, state[USED] += used, state[LIVING] -= gone;
    if (state[LIVING] < 2) state[DONE] = 1;
}
