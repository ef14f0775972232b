// What a thread can rule out by itself, for one row and each candidate: how near are the regions of the one to the
// rectangles of the other, and the hours of the one to the samples of the other.
#define REGIONS (SIDE * SIDE)
#define KINDS 4  // of the rectangles of the row: the three most used, and all others
#define MOST_PLACES 32  // of a candidate are looked at

struct __align__(16) Chart {
    unsigned char hours[2 * MOST_LONGER];
    int uses[KINDS], unused[4];
    uint2 apart[REGIONS];  // from each region to each kind, in two bytes each, capped
};
static_assert(sizeof(Chart) == CHART_BYTES, "the host counts so many");

// Part of the chart of a row, by one block; `least` of the kinds is where there are none.
__device__ void chart_part(const Prints& p, int row, Chart& chart, int part, int parts) {
    Where where = p.where[row];
    int cap = (int)p.space_cap;
    for (int r = part * blockDim.x + threadIdx.x; r < REGIONS; r += parts * blockDim.x) {
        int4 box = p.region[r];
        unsigned kinds[KINDS] = {(unsigned)cap, (unsigned)cap, (unsigned)cap, (unsigned)cap};
        for (int k = 0; k < where.places; k++) {
            int4 q = p.rect[where.first + k];
            int x = min(cap, max(0, max(q.x - box.y, box.x - q.y)));
            int y = min(cap, max(0, max(q.z - box.w, box.z - q.w)));
            unsigned gap = min(cap, x + y);
            if (k == 0) kinds[0] = gap;
            else if (k == 1) kinds[1] = gap;
            else if (k == 2) kinds[2] = gap;
            else kinds[3] = min(kinds[3], gap);
        }
        chart.apart[r] = make_uint2(kinds[0] | kinds[1] << 16, kinds[2] | kinds[3] << 16);
    }
    if (part) return;
    for (int k = threadIdx.x; k < 2 * p.longer; k += blockDim.x) chart.hours[k] = p.hours[row * 2 * p.longer + k];
    if (threadIdx.x < KINDS) {
        int rest = p.outline[row].size, uses = 0;
        for (int k = 0; k < KINDS - 1 && k <= threadIdx.x; k++) {
            uses = k < where.places ? p.uses[where.first + k].x : 0;
            rest -= uses;
        }
        chart.uses[threadIdx.x] = threadIdx.x < KINDS - 1 ? uses : rest;
    }
}

// Sums of distances per person in space: the samples of the row to the candidate, and back.
struct Sums {
    i64 there, back;
};

__device__ __forceinline__ Sums spaces(const Prints& p, const Chart& chart, const Where& where) {
    unsigned cap = (unsigned)p.space_cap, both = cap | cap << 16;
    uint2 least = {both, both};
    const int2* uses = p.uses + where.first;
    i64 back = 0;
    int places = min(where.places, MOST_PLACES);
    for (int k = 0; k < places; k++) {
        int2 mine = uses[k];
        unsigned beyond = (unsigned)mine.y >> 16, twice = beyond | beyond << 16;
        uint2 apart = chart.apart[mine.y & 0xffff];
        apart.x = __vmaxu2(apart.x, twice) - twice;
        apart.y = __vmaxu2(apart.y, twice) - twice;
        least.x = __vminu2(least.x, apart.x);
        least.y = __vminu2(least.y, apart.y);
        unsigned nearest = __vminu2(apart.x, apart.y);
        back += (i64)mine.x * min(nearest & 0xffff, nearest >> 16);
    }
    i64 there = (i64)chart.uses[0] * (least.x & 0xffff) + (i64)chart.uses[1] * (least.x >> 16)
                + (i64)chart.uses[2] * (least.y & 0xffff) + (i64)chart.uses[3] * (least.y >> 16);
    Sums sums = {where.places > MOST_PLACES ? 0 : there, back};
    return sums;
}

// Minutes / MINUTES from the samples of one to the nearest of the other, by longer bins.
__device__ __forceinline__ unsigned hours_apart(const uint4* inside, const uint4* silent, int words) {
    unsigned sum = 0;
    for (int w = 0; w < words; w++) {
        uint4 a = inside[w], b = silent[w];
        sum = __dp4a(a.x, b.x, sum);
        sum = __dp4a(a.y, b.y, sum);
        sum = __dp4a(a.z, b.z, sum);
        sum = __dp4a(a.w, b.w, sum);
    }
    return sum;
}

// Whether a candidate is still in question, by one thread.
__device__ bool chart_near(
    const Prints& p, const Chart& chart, int size, int slot, int b_size, int ident, const Bar& bar
) {
    Sums space = spaces(p, chart, p.where[slot]);
    bool there = size >= b_size, back = size <= b_size;
    i64 least = p.space * (!back ? space.there : !there ? space.back : min(space.there, space.back));
    int most = max(size, b_size), words = (int)p.longer / 16;
    if (!passes(bar, least, most, ident)) return false;
    const uint4* mine = (const uint4*)chart.hours;
    const uint4* theirs = (const uint4*)(p.hours + (i64)slot * 2 * p.longer);
    i64 minute = p.time * MINUTES, bound = NEVER;
    if (there) bound = p.space * space.there + minute * hours_apart(mine, theirs + words, words);
    if (back) bound = min(bound, p.space * space.back + minute * hours_apart(theirs, mine + words, words));
    return passes(bar, bound, most, ident);
}
