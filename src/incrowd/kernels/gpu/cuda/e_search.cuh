// The nearest candidates of a row, by blocks of eight warps: a thread for each pair of hulls, a thread for each chart
// of those left, a warp for each left of these.
#define QUEUE 1024
#define NARROWED 512
#define RESIDENT 4  // blocks on a multiprocessor; waiting for memory bounds the search, and more of them wait at once
#define SLACK (1 + 1e-9)  // more than rounding can miss; what lies beyond is surely further

struct Line {
    int count, head;
};

struct Desk {
    int wide[QUEUE], narrow[NARROWED];  // past the hulls, and past the chart
    Line first, second;
    Bar bar;
    W low[WARPS][TABLE];
};

// Which candidates to look at: `count` of them, every `stride`-th from `from`.
struct Range {
    const int* slots;
    int from, stride, count;
};

struct Asked {
    int row, ident, take, below;
    int turn;  // among the merges that are tried at once; what is taken up to here is gone
};

__device__ __forceinline__ bool is_candidate(const Prints& p, const Asked& asked, int slot, int state) {
    if (slot < 0 || slot == asked.row) return false;
    Where where = p.where[slot];
    bool gone = where.taken && where.taken <= asked.turn;
    return where.state == state && !gone && (!asked.below || p.outline[slot].ident < asked.ident);
}

__device__ void clear(Desk& desk, Entry* lists, int take, double most) {
    Entry none = {NEVER, 1, LAST_ID, NONE};
    for (int e = threadIdx.x; e < WARPS * take; e += THREADS) lists[e] = none;
    if (threadIdx.x == 0) {
        desk.first.count = desk.second.count = desk.second.head = 0;
        desk.bar = no_bar();
        desk.bar.most = most;
    }
    __syncthreads();
}

// Place of an entry among all; ids differ, so that places do.
__device__ int place_among(const Entry* all, int count, const Entry& mine, int enough) {
    int place = 0;
    for (int e = 0; e < count && place < enough; e++) place += before(all[e], mine);
    return place;
}

// Keep a list sorted, its last pushed out; by one lane.
__device__ bool insert(Entry* list, int take, const Entry& mine) {
    if (!before(mine, list[take - 1])) return false;
    int at = take - 1;
    for (; at > 0 && before(mine, list[at - 1]); at--) list[at] = list[at - 1];
    list[at] = mine;
    return true;
}

// Work through those left; then the last that is still in the list of the block becomes the bar.
__device__ void drain(const Prints& p, const Asked& asked, Desk& desk, Entry* lists, u64* most, Work& work) {
    int lane = threadIdx.x & 31, warp = threadIdx.x / 32, changed = 0;
    __syncthreads();
    Bar bar = desk.bar;
    int count = desk.second.count;
    for (;;) {
        int i = lane == 0 ? atomicAdd(&desk.second.head, 1) : 0;
        i = __shfl_sync(ALL_LANES, i, 0);
        if (i >= count) break;
        int slot = desk.narrow[i];
        Entry mine;
        mine.over = within(p, asked.row, slot, bar, desk.low[warp], work, mine.under);
        mine.slot = slot, mine.ident = p.outline[slot].ident;
        if (lane == 0 && mine.over >= 0) changed |= insert(lists + warp * asked.take, asked.take, mine);
        __syncwarp();
    }
    int any = __syncthreads_or(changed);
    if (any && warp == 0)
        for (int e = lane; e < WARPS * asked.take; e += 32) {
            Entry mine = lists[e];
            if (mine.slot >= 0 && place_among(lists, WARPS * asked.take, mine, asked.take) == asked.take - 1) {
                desk.bar.over = mine.over, desk.bar.under = mine.under, desk.bar.ident = mine.ident;
                double value = (double)mine.over / (double)mine.under * SLACK;
                if (most) atomicMin(most, (u64)__double_as_longlong(value));
            }
        }
    __syncthreads();
    if (threadIdx.x == 0) {
        desk.second.count = desk.second.head = 0;
        if (most) desk.bar.most = min(desk.bar.most, __longlong_as_double((i64)atomicAdd(most, 0ULL)));
    }
    __syncthreads();
}

// How many wait after those of this warp have joined the queue.
__device__ __forceinline__ int enqueue(int* queue, Line& line, bool in, int slot) {
    unsigned all = __ballot_sync(ALL_LANES, in);
    int lane = threadIdx.x & 31, at = 0;
    if (lane == 0 && all) at = atomicAdd(&line.count, __popc(all));
    at = __shfl_sync(ALL_LANES, at, 0);
    if (in) queue[at + __popc(all & ((1u << lane) - 1))] = slot;
    return at + __popc(all);
}

// Those past the hulls that are past the chart too.
__device__ void narrow(
    const Prints& p, const Asked& asked, const Chart& chart, Desk& desk, Entry* lists, u64* most, Work& work
) {
    __syncthreads();
    int count = desk.first.count, size = p.outline[asked.row].size;
    for (int base = 0; base < count; base += THREADS) {
        int i = base + threadIdx.x, slot = NONE;
        bool in = false;
        if (i < count) {
            slot = desk.wide[i];
            in = chart_near(p, chart, size, slot, p.outline[slot].size, p.outline[slot].ident, desk.bar);
            work.close += in;
        }
        int full = __syncthreads_or(enqueue(desk.narrow, desk.second, in, slot) > NARROWED - THREADS);
        if (full) drain(p, asked, desk, lists, most, work);
    }
    __syncthreads();
    if (threadIdx.x == 0) desk.first.count = 0;
    __syncthreads();
}

// All candidates of a range; `state` is what they must be in.
__device__ void search(
    const Prints& p, const Asked& asked, const Range& range, int state, const Chart& chart, Desk& desk, Entry* lists,
    u64* most, Work& work
) {
    Outline mine = p.outline[asked.row];
    for (int base = 0; base < range.count; base += THREADS) {
        int i = base + threadIdx.x, slot = i < range.count ? range.slots[range.from + i * range.stride] : NONE;
        bool in = false;
        if (is_candidate(p, asked, slot, state)) {
            work.pairs++;
            in = hulls_near(p, mine, p.outline[slot], desk.bar);
            work.near += in;
        }
        int full = __syncthreads_or(enqueue(desk.wide, desk.first, in, slot) > QUEUE - THREADS);
        if (full || base + THREADS >= range.count) narrow(p, asked, chart, desk, lists, most, work);
    }
    drain(p, asked, desk, lists, most, work);
}

// A first bar from those beside the row, who live where it lives. They are looked at again in their turn.
__device__ void look_around(
    const Prints& p, const Asked& asked, const Range& range, int at, int state, Desk& desk, Entry* lists, Work& work
) {
    for (int pass = 0; pass < 2; pass++) {
        int reach = pass ? 32 : 8, i = at - reach + (int)threadIdx.x, slot = NONE;
        bool in = (int)threadIdx.x <= 2 * reach && i >= 0 && i < range.count && (!pass || i < at - 8 || i > at + 8);
        if (in) slot = range.slots[i];
        enqueue(desk.narrow, desk.second, is_candidate(p, asked, slot, state), slot);
        drain(p, asked, desk, lists, NULL, work);
    }
    Bar bar = desk.bar;
    __syncthreads();
    double value = bar.over == NEVER ? bar.most : (double)bar.over / (double)bar.under * SLACK;
    clear(desk, lists, asked.take, value);
}

__device__ void account(const Work& work, u64* sums) {
    i64 all[5] = {work.pairs, work.near, work.close, work.exact, work.compared};
    for (int w = 0; w < 5; w++) {
        i64 sum = warp_sum(all[w]);
        if ((threadIdx.x & 31) == 0 && sum) atomicAdd(sums + w, (u64)sum);
    }
}

// One block a row; the list of row r goes to r * take.
extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT) scan_rows(
    BY_VALUE Prints p, const int* rows, const int* candidates, int count, const int* position, int take, int below,
    int state, int* who, i64* over, i64* under, u64* sums
) {
    extern __shared__ Entry lists[];
    __shared__ Desk desk;
    __shared__ Chart chart;
    int row = rows[blockIdx.x];
    Asked asked = {row, p.outline[row].ident, take, below, 0};
    Range range = {candidates, 0, 1, count};
    Work work = {0, 0, 0, 0, 0};
    chart_part(p, row, chart, 0, 1);
    clear(desk, lists, take, no_bar().most);
    look_around(p, asked, range, max(0, position[row]), state, desk, lists, work);
    search(p, asked, range, state, chart, desk, lists, NULL, work);
    for (int e = threadIdx.x; e < take; e += THREADS) {
        i64 at = (i64)blockIdx.x * take + e;
        who[at] = NONE, over[at] = NEVER, under[at] = 1;
    }
    __syncthreads();
    for (int e = threadIdx.x; e < WARPS * take; e += THREADS) {
        Entry mine = lists[e];
        if (mine.slot < 0) continue;
        int place = place_among(lists, WARPS * take, mine, take);
        if (place >= take) continue;
        i64 at = (i64)blockIdx.x * take + place;
        who[at] = mine.slot, over[at] = mine.over, under[at] = mine.under;
    }
    account(work, sums);
}

// One warp a pair of slots: its stretch, whatever it is.
extern "C" __global__ void __launch_bounds__(THREADS) pair_stretches(
    BY_VALUE Prints p, const int2* pairs, i64 count, i64* over, i64* under
) {
    __shared__ W low[WARPS][TABLE];
    i64 m = (i64)blockIdx.x * WARPS + threadIdx.x / 32, denominator;
    if (m >= count) return;
    Work work = {0, 0, 0, 0, 0};
    i64 total = within(p, pairs[m].x, pairs[m].y, no_bar(), low[threadIdx.x / 32], work, denominator);
    if ((threadIdx.x & 31) == 0) over[m] = total, under[m] = denominator;
}
