// The stretch of two fingerprints by one warp: bounds first, then exact sample by sample inside a window of time.
#define TABLE 192
#define LONG_BINS 64
#define AT_ONCE 2

// Hulls apart, and the most used rectangle of the longer from the hull of the shorter; per person.
__device__ __forceinline__ i64 hull_bound(const Prints& p, const Outline& l, const Outline& s, int time, int apart) {
    int cap = p.space_cap;
    int x = min(cap, max(0, max(s.x0 - l.right, l.left - s.x1)));
    int y = min(cap, max(0, max(s.y0 - l.up, l.down - s.y1)));
    int top = (int)p.space * min(x + y, cap) + time;
    return (i64)l.uses * top + (i64)(l.size - l.uses) * apart;
}

__device__ __forceinline__ bool hulls_near(const Prints& p, const Outline& a, const Outline& b, const Bar& bar) {
    int cap = p.space_cap;
    int t = max(0, max(b.t0 - a.t1, a.t0 - b.t1));
    int x = min(cap, max(0, max(b.x0 - a.x1, a.x0 - b.x1)));
    int y = min(cap, max(0, max(b.y0 - a.y1, a.y0 - b.y1)));
    int time = (int)p.time * min(t, (int)p.time_cap);
    int apart = (int)p.space * min(x + y, cap) + time;
    i64 there = hull_bound(p, a, b, time, apart), back = hull_bound(p, b, a, time, apart);
    i64 bound = a.size > b.size ? there : a.size < b.size ? back : min(there, back);
    return passes(bar, bound, max(a.size, b.size), b.ident);
}

__device__ __forceinline__ W space_apart(int4 r, int4 q, W n_a, W n_b) {
    W both = (W)(max(r.y, q.y) - min(r.x, q.x)) + (max(r.w, q.w) - min(r.z, q.z));
    return (n_a + n_b) * both - n_a * ((W)(r.y - r.x) + (r.w - r.z)) - n_b * ((W)(q.y - q.x) + (q.w - q.z));
}

// The closest of some rectangles: weighted and capped.
__device__ W floor_of(const Prints& p, int4 r, const int4* others, int from, int step, int count, W n_a, W n_b) {
    W best = (W)p.space_cap * (n_a + n_b);
    for (int j = from; j < count; j += step) best = min(best, space_apart(r, others[j], n_a, n_b));
    return best;
}

// At least so much time between a sample and any of b, by the silence of b around it; `gap` is that of its first bin.
__device__ __forceinline__ W time_bound(
    const Prints& p, int4 s, W gap, const unsigned short* silence, const Outline& B, W n_a, W n_b
) {
    int first = s.x >> p.shift, last = (s.y - 1) >> p.shift, length = s.y - s.x;
    if (last - first > LONG_BINS) gap = 0;
    for (int k = first + 1; k <= last && gap; k++) gap = min(gap, (W)silence[k]);
    W tau = gap > 0 ? (n_a + n_b) * gap + n_a * B.shortest + n_b * length
                    : n_b * max(0, length - B.longest) + n_a * max(0, B.shortest - length);
    return (W)p.time * min(tau, (W)p.time_cap * (n_a + n_b));
}

// The exact cost of one sample at its closest of b: outwards in time until nothing further can be cheaper.
__device__ W refined(
    const Prints& p, int4 s, int4 mine, W floor, int b_first, int b_size, W n_a, W n_b, int& compared
) {
    const int4* others = p.sample + b_first;
    int after = 0, stop = b_size;
    while (after < stop) {
        int middle = (after + stop) >> 1;
        if (others[middle].x <= s.x) after = middle + 1;
        else stop = middle;
    }
    W n = n_a + n_b, cap = (W)p.time_cap * n, time = (W)p.time, best = floor + time * cap;
    int left = after - 1, right = after;
    int4 l = left >= 0 ? others[left] : s, r = right < b_size ? others[right] : s;
    for (;;) {
        W behind = left >= 0 ? n_a * (s.x - l.x) + n_b * max(0, s.y - l.z) : MOST_W;
        W ahead = right < b_size ? n_a * max(0, r.x + 1 - s.y) + n_b * (r.x - s.x) : MOST_W;
        if (floor + time * min(min(behind, ahead), cap) >= best) return best;
        int4 o;
        if (behind <= ahead) {
            o = l;
            if (--left >= 0) l = others[left];
        } else {
            o = r;
            if (++right < b_size) r = others[right];
        }
        compared++;
        W both = max(s.y, o.y) - min(s.x, o.x);
        W tau = n_a * (both - (s.y - s.x)) + n_b * (both - (o.y - o.x));
        if (tau < cap && floor + time * tau < best) {
            W space = min(space_apart(mine, p.rect[b_first + o.w], n_a, n_b), (W)p.space_cap * n);
            best = min(best, (W)p.space * space + time * tau);
        }
    }
}

// The closest rectangle of b to each of a; several lanes share one where a has few.
__device__ i64 space_bound(
    const Prints& p, const Where& wa, const Where& wb, W n_a, W n_b, i64 under, int ident, const Bar& bar, W* low
) {
    int lane = threadIdx.x & 31, group = 32;
    while (group / 2 >= wa.places) group /= 2;
    int per = 32 / group, sub = lane % per, mine = lane / per;
    i64 total = 0, sum = 0;
    for (int base = 0; base < wa.places; base += group) {
        int k = base + mine;
        int4 r = p.rect[wa.first + min(k, wa.places - 1)];
        W best = floor_of(p, r, p.rect + wb.first, sub, per, wb.places, n_a, n_b);
        for (int d = 1; d < per; d <<= 1) best = min(best, __shfl_xor_sync(ALL_LANES, best, d));
        W floor = (W)p.space * best;
        if (k < wa.places && sub == 0) {
            if (k < TABLE) low[k] = floor;
            total += (i64)p.uses[wa.first + k].x * floor;
        }
        sum = warp_sum(total);
        if (!passes(bar, sum, under, ident)) return NONE;
    }
    return sum;
}

// Numerator of the stretch of the samples of a to those of b; -1 when it surely does not pass.
__device__ i64 directed(const Prints& p, int a, int b, i64 under, int ident, const Bar& bar, W* low, Work& work) {
    int lane = threadIdx.x & 31;
    const Outline& A = p.outline[a];
    const Outline& B = p.outline[b];
    Where wa = p.where[a], wb = p.where[b];
    W n_a = A.people, n_b = B.people;
    int size = A.size, b_size = B.size;
    __syncwarp();
    i64 bound = space_bound(p, wa, wb, n_a, n_b, under, ident, bar, low);
    if (bound < 0) return NONE;
    __syncwarp();
    const unsigned short* silence = p.silence + (i64)b * p.bins;
    // Several samples are on their way at once; past the end the last is read again, and not counted.
    for (int base = 0; base < size; base += 32 * AT_ONCE) {
        int4 s[AT_ONCE];
        W gap[AT_ONCE];
        i64 time = 0;
#pragma unroll
        for (int n = 0; n < AT_ONCE; n++) s[n] = p.sample[wa.first + min(base + 32 * n + lane, size - 1)];
#pragma unroll
        for (int n = 0; n < AT_ONCE; n++) gap[n] = silence[s[n].x >> p.shift];
#pragma unroll
        for (int n = 0; n < AT_ONCE; n++)
            if (base + 32 * n + lane < size) time += time_bound(p, s[n], gap[n], silence, B, n_a, n_b);
        bound += warp_sum(time);
        if (!passes(bar, bound, under, ident)) return NONE;
    }
    int compared = 0;
    for (int base = 0; base < size; base += 32) {
        i64 more = 0;
        if (base + lane < size) {
            int4 s = p.sample[wa.first + base + lane], mine = p.rect[wa.first + s.w];
            W floor = s.w < TABLE ? low[s.w]
                                  : (W)p.space * floor_of(p, mine, p.rect + wb.first, 0, 1, wb.places, n_a, n_b);
            more = (i64)refined(p, s, mine, floor, wb.first, b_size, n_a, n_b, compared) - floor
                   - time_bound(p, s, silence[s.x >> p.shift], silence, B, n_a, n_b);
        }
        bound += warp_sum(more);
        if (!passes(bar, bound, under, ident)) {
            work.compared += compared;
            return NONE;
        }
    }
    work.exact += lane == 0;
    work.compared += compared;
    return bound;
}

// Numerator of the stretch of two slots; -1 when it surely does not pass.
__device__ i64 within(const Prints& p, int a, int b, const Bar& bar, W* low, Work& work, i64& under) {
    const Outline& A = p.outline[a];
    const Outline& B = p.outline[b];
    under = (i64)(A.people + B.people) * max(A.size, B.size);
    i64 there = A.size < B.size ? NONE : directed(p, a, b, under, B.ident, bar, low, work);
    i64 back = A.size > B.size ? NONE : directed(p, b, a, under, B.ident, bar, low, work);
    return there < 0 ? back : back < 0 ? there : min(there, back);
}
