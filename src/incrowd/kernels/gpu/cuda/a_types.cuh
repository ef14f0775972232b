// Fingerprints on the card. W holds what one sample costs: 32 bits where the host has made sure that they suffice.
typedef long long i64;
typedef unsigned long long u64;
#if WIDE
typedef long long W;
#define MOST_W 0x7fffffffffffffffLL
#else
typedef int W;
#define MOST_W 0x7fffffff
#endif

#define BY_VALUE const __grid_constant__
#define ALL_LANES 0xffffffffu
#define NEVER (1LL << 62)
#define NONE -1
#define LAST_ID 0x7fffffff

enum { DEAD, ACTIVE, FINISHED };

struct __align__(16) Outline {
    int t0, t1, x0, x1, y0, y1, size, people;
    int ident, shortest, longest, uses;  // samples at the most used rectangle, which is
    int left, right, down, up;
};

struct __align__(16) Where {
    int first;  // its samples and its rectangles begin here
    int places, state;
    int taken;  // 1 and more: by which of the merges that are tried at once
};

struct Prints {
    Outline* outline;
    Where* where;
    int4* sample;  // start, end, latest end up to here, which rectangle
    int4* rect;    // x, x end, y, y end
    int2* uses;    // of a rectangle: samples, and its region in the lower half, what juts out of that in the upper
    unsigned short* silence;  // minutes from each bin to the nearest sample, capped
    int* parent;              // the merged sample that covers a sample, or -1
    unsigned char* hours;     // samples inside each longer bin, then its silence
    int4* region;             // around the first rectangles in each region
    int* edges;               // where strips begin along x, then the regions of each strip along y
    i64 bins, shift, space, space_cap, time, time_cap, longer, longer_shift;
};

struct Box {
    int t0, t1, x0, x1, y0, y1;
};

// A candidate with its stretch; equal stretches are told apart by the id.
struct Entry {
    i64 over, under;
    int ident, slot;
};
static_assert(sizeof(Entry) == ENTRY_BYTES, "the host counts so many");

// What a candidate must undercut: the last of the list, and a stretch that others have found to be beyond the list.
struct Bar {
    i64 over, under;
    double most;
    int ident;
};

struct Work {
    i64 close, exact, compared;
    int pairs, near;
};

__device__ __forceinline__ i64 warp_sum(i64 v) {
    for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(ALL_LANES, v, d);
    return v;
}

// The sign of p/q - r/s, by products of 128 bits.
__device__ __forceinline__ int compare(i64 p, i64 q, i64 r, i64 s) {
    u64 high = __umul64hi(p, s), low = (u64)p * (u64)s, high_r = __umul64hi(r, q), low_r = (u64)r * (u64)q;
    if (high != high_r) return high > high_r ? 1 : -1;
    return low == low_r ? 0 : low > low_r ? 1 : -1;
}

__device__ __forceinline__ bool before(const Entry& a, const Entry& b) {
    int sign = compare(a.over, a.under, b.over, b.under);
    return sign < 0 || (sign == 0 && a.ident < b.ident);
}

__device__ __forceinline__ bool passes(const Bar& bar, i64 over, i64 under, int ident) {
    if ((double)over > bar.most * (double)under) return false;
    int sign = compare(over, under, bar.over, bar.under);
    return sign < 0 || (sign == 0 && ident < bar.ident);
}

__device__ __forceinline__ Bar no_bar() {
    Bar bar = {NEVER, 1, __longlong_as_double(0x7ff0000000000000LL), LAST_ID};
    return bar;
}

__device__ __forceinline__ Box box_at(const Prints& p, int first, int i) {
    int4 s = p.sample[first + i], r = p.rect[first + s.w];
    Box box = {s.x, s.y, r.x, r.y, r.z, r.w};
    return box;
}
