// Two fingerprints into one, by one block; every sample against every other.
struct Columns {
    const int4 *sample, *rect;
    __device__ Box operator[](int i) const {
        int4 s = sample[i], r = rect[s.w];
        Box box = {s.x, s.y, r.x, r.y, r.z, r.w};
        return box;
    }
};

struct Shares {
    W space, time, beyond;
};

__device__ __forceinline__ W apart(int a0, int a1, int b0, int b1, W n_a, W n_b) {
    W both = max(a1, b1) - min(a0, b0);
    return n_a * (both - (a1 - a0)) + n_b * (both - (b1 - b0));
}

__device__ __forceinline__ Shares shares(const Prints& p, const Box& a, const Box& b, W n_a, W n_b) {
    W space = apart(a.x0, a.x1, b.x0, b.x1, n_a, n_b) + apart(a.y0, a.y1, b.y0, b.y1, n_a, n_b);
    W time = apart(a.t0, a.t1, b.t0, b.t1, n_a, n_b), n = n_a + n_b;
    Shares s = {(W)p.space * min(space, (W)p.space_cap * n), (W)p.time * min(time, (W)p.time_cap * n),
                (W)p.space * space + (W)p.time * time};
    return s;
}

// The first other sample at the smallest stretch, by one warp; ties to the smallest without caps, if so asked.
template <typename Boxes>
__device__ int closest(const Prints& p, const Box& mine, Boxes others, int count, W n_a, W n_b, int uncapped, W& cost) {
    int lane = threadIdx.x & 31, found = 0x7fffffff;
    W best = MOST_W, best_beyond = MOST_W;
    for (int j = lane; j < count; j += 32) {
        Shares s = shares(p, mine, others[j], n_a, n_b);
        W sum = s.space + s.time, beyond = uncapped ? s.beyond : 0;
        if (sum < best || (sum == best && beyond < best_beyond)) best = sum, best_beyond = beyond, found = j;
    }
    for (int d = 16; d; d >>= 1) {
        W other = __shfl_xor_sync(ALL_LANES, best, d), other_beyond = __shfl_xor_sync(ALL_LANES, best_beyond, d);
        int j = __shfl_xor_sync(ALL_LANES, found, d);
        bool same = other == best;
        if (other < best || (same && other_beyond < best_beyond)
            || (same && other_beyond == best_beyond && j < found)) best = other, best_beyond = other_beyond, found = j;
    }
    cost = best;
    return found;
}

// Every sample of l points to its closest of s; the sum of their costs.
__device__ i64 point(const Prints& p, int l, int s, int uncapped, int* target) {
    __shared__ u64 total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    Columns mine = {p.sample + p.where[l].first, p.rect + p.where[l].first};
    Columns others = {p.sample + p.where[s].first, p.rect + p.where[s].first};
    int warp = threadIdx.x / 32, warps = blockDim.x / 32, size = p.outline[l].size, count = p.outline[s].size;
    W n_l = p.outline[l].people, n_s = p.outline[s].people;
    i64 sum = 0;
    for (int i = warp; i < size; i += warps) {
        W cost;
        int found = closest(p, mine[i], others, count, n_l, n_s, uncapped, cost);
        if ((threadIdx.x & 31) == 0) target[i] = found;
        sum += cost;
    }
    if ((threadIdx.x & 31) == 0) atomicAdd(&total, (u64)sum);
    __syncthreads();
    i64 result = total;
    __syncthreads();
    return result;
}

// Which of two slots is summed over, and the numerator; `force` 1 or 2 takes the first or the second regardless.
__device__ bool direct(const Prints& p, int a, int b, int uncapped, int force, int* to_a, int* to_b, i64& over) {
    int m_a = p.outline[a].size, m_b = p.outline[b].size;
    bool both = m_a == m_b && !force;
    i64 there = 0, back = 0;
    if (both || force == 1 || (!force && m_a > m_b)) there = point(p, a, b, uncapped, to_a);
    if (both || force == 2 || (!force && m_a < m_b)) back = point(p, b, a, uncapped, to_b);
    bool first = both ? there <= back : force ? force == 1 : m_a > m_b;
    over = first ? there : back;
    return first;
}

__device__ __forceinline__ void widen(Box* box, const Box& by) {
    atomicMin(&box->t0, by.t0), atomicMax(&box->t1, by.t1), atomicMin(&box->x0, by.x0);
    atomicMax(&box->x1, by.x1), atomicMin(&box->y0, by.y0), atomicMax(&box->y1, by.y1);
}

__device__ __forceinline__ bool sorts_before(const Box& a, const Box& b) {
    if (a.t0 != b.t0) return a.t0 < b.t0;
    if (a.t1 != b.t1) return a.t1 < b.t1;
    if (a.x0 != b.x0) return a.x0 < b.x0;
    if (a.x1 != b.x1) return a.x1 < b.x1;
    if (a.y0 != b.y0) return a.y0 < b.y0;
    return a.y1 < b.y1;
}

__device__ __forceinline__ bool stays(const Box& b, i64 most_space, i64 most_time) {
    return max(b.x1 - b.x0, b.y1 - b.y0) <= most_space && b.t1 - b.t0 <= most_time;
}

// Number the marked ones, in order, by the first warp; how many there are.
__device__ int number(int* marks, int size) {
    __shared__ int found;
    int lane = threadIdx.x;
    if (lane < 32) {
        int before_me = 0;
        for (int base = 0; base < size; base += 32) {
            bool marked = base + lane < size && marks[base + lane] >= 0;
            unsigned all = __ballot_sync(ALL_LANES, marked);
            if (marked) marks[base + lane] = before_me + __popc(all & ((1u << lane) - 1));
            before_me += __popc(all);
        }
        if (lane == 0) found = before_me;
    }
    __syncthreads();
    int count = found;
    __syncthreads();
    return count;
}

struct Limits {
    i64 space, time;
    int uncapped, force;
};

// Both stages: boxes around the samples of s that are pointed to, then the others of s into them. `to_l`, `to_s`: which
// box a sample went to.
__device__ int boxes_of(const Prints& p, int l, int s, int uncapped, int* to_l, int* to_s, Box* one, Box* two) {
    int size = p.outline[l].size, count = p.outline[s].size, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    W n_l = p.outline[l].people, n_s = p.outline[s].people;
    Columns longer = {p.sample + p.where[l].first, p.rect + p.where[l].first};
    Columns shorter = {p.sample + p.where[s].first, p.rect + p.where[s].first};
    for (int j = threadIdx.x; j < count; j += blockDim.x) to_s[j] = NONE;
    __syncthreads();
    for (int i = threadIdx.x; i < size; i += blockDim.x) to_s[to_l[i]] = 0;
    __syncthreads();
    int made = number(to_s, count);
    for (int j = threadIdx.x; j < count; j += blockDim.x)
        if (to_s[j] >= 0) one[to_s[j]] = shorter[j];
    for (int i = threadIdx.x; i < size; i += blockDim.x) to_l[i] = to_s[to_l[i]];
    __syncthreads();
    for (int i = threadIdx.x; i < size; i += blockDim.x) widen(one + to_l[i], longer[i]);
    __syncthreads();
    for (int j = threadIdx.x; j < made; j += blockDim.x) two[j] = one[j];
    __syncthreads();
    for (int j = warp; j < count; j += warps) {
        if (to_s[j] >= 0) continue;
        W cost;
        Box mine = shorter[j];
        int found = closest(p, mine, (const Box*)one, made, n_s, n_l + n_s, uncapped, cost);
        if ((threadIdx.x & 31) == 0) {
            to_s[j] = found;
            widen(two + found, mine);
        }
    }
    __syncthreads();
    return made;
}

// Merge slots a, whose id is the smaller, and b into a slot, which may be a; its samples go to `at`. Scratch: nine
// numbers for each sample of both. Numerator of their stretch; `left` samples are left, and with none nothing is laid out.
__device__ i64 join_pair(
    const Prints& p, int a, int b, int into, int at, const Limits& limits, int* scratch, int& left
) {
    int m_a = p.outline[a].size, m_b = p.outline[b].size, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    int people = p.outline[a].people + p.outline[b].people, lane = threadIdx.x & 31;
    int a_first = p.where[a].first, b_first = p.where[b].first;
    int *to_a = scratch, *to_b = scratch + m_a;
    i64 over;
    bool first = direct(p, a, b, limits.uncapped, limits.force, to_a, to_b, over);
    int l = first ? a : b, s = first ? b : a, short_size = first ? m_b : m_a;
    Box* one = (Box*)(to_b + m_b);
    Box* two = one + short_size;
    int made = boxes_of(p, l, s, limits.uncapped, first ? to_a : to_b, first ? to_b : to_a, one, two);
    int* place = (int*)(two + short_size);
    __shared__ int kept;
    if (threadIdx.x == 0) kept = 0;
    __syncthreads();
    for (int i = warp; i < made; i += warps) {
        Box mine = two[i];
        int rank = 0;
        bool keep = stays(mine, limits.space, limits.time);
        for (int base = 0; base < made; base += 32) {
            int j = base + lane;
            bool ahead = false;
            if (j < made) {
                Box other = two[j];
                ahead = stays(other, limits.space, limits.time)
                        && (sorts_before(other, mine) || (j < i && !sorts_before(mine, other)));
            }
            rank += __popc(__ballot_sync(ALL_LANES, ahead));
        }
        if (lane == 0) {
            place[i] = keep ? rank : NONE;
            if (keep) {
                one[rank] = mine;
                atomicAdd(&kept, 1);
            }
        }
    }
    __syncthreads();
    left = kept;
    for (int i = threadIdx.x; i < m_a; i += blockDim.x)
        p.parent[a_first + i] = place[to_a[i]] < 0 ? NONE : at + place[to_a[i]];
    for (int i = threadIdx.x; i < m_b; i += blockDim.x)
        p.parent[b_first + i] = place[to_b[i]] < 0 ? NONE : at + place[to_b[i]];
    if (left) lay_out(p, into, at, left, one, place + short_size);
    if (threadIdx.x == 0) p.outline[into].people = people;
    __syncthreads();
    return over;
}

// One block a pair: `pairs` of slots, where each may write, its scratch and the id of what it makes.
extern "C" __global__ void __launch_bounds__(256) join_pairs(
    BY_VALUE Prints p, const int2* pairs, const i64* at, const i64* scratch_at, const int* idents, i64 most_space,
    i64 most_time, int uncapped, int force, int k, int* scratch, i64* over, int* left
) {
    int m = blockIdx.x, a = pairs[m].x, b = pairs[m].y, remain;
    Limits limits = {most_space, most_time, uncapped, force};
    i64 total = join_pair(p, a, b, a, (int)at[m], limits, scratch + scratch_at[m], remain);
    if (threadIdx.x == 0) {
        over[m] = total;
        left[m] = remain;
        p.outline[a].ident = idents[m];
        p.where[b].state = DEAD;
        p.where[a].state = remain == 0 ? DEAD : p.outline[a].people >= k ? FINISHED : ACTIVE;
    }
}

// One block a pair: its numerator, which of it is summed over, and the shares of each sample of that one.
extern "C" __global__ void __launch_bounds__(256) pair_shares(
    BY_VALUE Prints p, const int2* pairs, const i64* at, const i64* scratch_at, int force, int* scratch, i64* over,
    int* first, i64* space, i64* time
) {
    int m = blockIdx.x, a = pairs[m].x, b = pairs[m].y, m_a = p.outline[a].size;
    int *to_a = scratch + scratch_at[m], *to_b = to_a + m_a;
    i64 total;
    bool one = direct(p, a, b, 0, force, to_a, to_b, total);
    int l = one ? a : b, s = one ? b : a;
    W n_l = p.outline[l].people, n_s = p.outline[s].people;
    for (int i = threadIdx.x; i < p.outline[l].size; i += blockDim.x) {
        Box mine = box_at(p, p.where[l].first, i), other = box_at(p, p.where[s].first, one ? to_a[i] : to_b[i]);
        Shares found = shares(p, mine, other, n_l, n_s);
        space[at[m] + i] = found.space;
        time[at[m] + i] = found.time;
    }
    if (threadIdx.x == 0) {
        over[m] = total;
        first[m] = one;
    }
}

// The box of each sample, and the row that covers each original: the end of its chain of parents.
extern "C" __global__ void gather(BY_VALUE Prints p, const int* slots, const i64* offsets, Box* rows, int* row) {
    int slot = slots[blockIdx.x], first = p.where[slot].first;
    for (int i = threadIdx.x; i < p.outline[slot].size; i += blockDim.x) {
        rows[offsets[blockIdx.x] + i] = box_at(p, first, i);
        row[first + i] = (int)offsets[blockIdx.x] + i;
    }
}

extern "C" __global__ void resolve(const int* parent, const int* row, int* covered, i64 count) {
    i64 s = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= count) return;
    int at = (int)s;
    while (parent[at] >= 0) at = parent[at];
    covered[s] = row[at];
}
