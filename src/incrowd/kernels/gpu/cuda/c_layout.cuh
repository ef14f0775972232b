// A fingerprint into its columns, by one block: samples, distinct rectangles by use, outline, silence.
__device__ __forceinline__ bool same_place(const Box& a, const Box& b) {
    return a.x0 == b.x0 && a.x1 == b.x1 && a.y0 == b.y0 && a.y1 == b.y1;
}

// Inclusive maximum of the ends, by the first warp.
__device__ void reach_of(const Prints& p, int first, int size, const Box* rows) {
    int lane = threadIdx.x;
    if (lane >= 32) return;
    int carry = 0;
    for (int base = 0; base < size; base += 32) {
        int i = base + lane, reach = i < size ? rows[i].t1 : 0;
        for (int d = 1; d < 32; d <<= 1) {
            int other = __shfl_up_sync(ALL_LANES, reach, d);
            if (lane >= d) reach = max(reach, other);
        }
        reach = max(reach, carry);
        carry = __shfl_sync(ALL_LANES, reach, 31);
        if (i < size) p.sample[first + i].z = reach;
    }
}

// The last of some edges that is not beyond; the first where all are.
__device__ __forceinline__ int step_of(const int* edges, int at) {
    int next = 1, stop = SIDE;
    while (next < stop) {
        int middle = (next + stop) >> 1;
        if (edges[middle] <= at) next = middle + 1;
        else stop = middle;
    }
    return next - 1;
}

// The region of a rectangle, and by how much it juts out of that.
__device__ __forceinline__ unsigned region_of(const Prints& p, int4 r) {
    int strip = step_of(p.edges, r.x);
    int region = strip * SIDE + step_of(p.edges + SIDE * (1 + strip), r.z);
    int4 box = p.region[region];
    int beyond = max(0, max(box.x - r.x, r.y - box.y)) + max(0, max(box.z - r.z, r.w - box.w));
    return (unsigned)region | (unsigned)min(beyond, 0xffff) << 16;
}

// Number the distinct rectangles, most used first; how many there are. `scratch` holds three numbers a sample.
__device__ int places_of(const Prints& p, int first, int size, const Box* rows, int* scratch) {
    int *seen = scratch, *count = scratch + size, *rank = scratch + 2 * size;
    __shared__ int found;
    if (threadIdx.x == 0) found = 0;
    for (int i = threadIdx.x; i < size; i += blockDim.x) count[i] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
        Box mine = rows[i];
        int j = 0;
        while (j < i && !same_place(rows[j], mine)) j++;
        seen[i] = j;
        atomicAdd(&count[j], 1);
        if (j == i) atomicAdd(&found, 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
        if (seen[i] != i) continue;
        int ahead = 0, mine = count[i];
        for (int j = 0; j < size; j++) ahead += count[j] > mine || (count[j] == mine && j < i);
        rank[i] = ahead;
        int4 rect = make_int4(rows[i].x0, rows[i].x1, rows[i].y0, rows[i].y1);
        p.rect[first + ahead] = rect;
        p.uses[first + ahead] = make_int2(mine, (int)region_of(p, rect));
    }
    __syncthreads();
    for (int i = threadIdx.x; i < size; i += blockDim.x) p.sample[first + i].w = rank[seen[i]];
    return found;
}

__device__ void outline_of(const Prints& p, int slot, int first, int size, const Box* rows) {
    __shared__ int low[4], high[4];
    if (threadIdx.x < 4) {
        low[threadIdx.x] = 0x7fffffff;
        high[threadIdx.x] = -0x7fffffff;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
        Box box = rows[i];
        int least[4] = {box.t0, box.x0, box.y0, box.t1 - box.t0}, most[4] = {box.t1, box.x1, box.y1, box.t1 - box.t0};
        for (int side = 0; side < 4; side++) {
            atomicMin(&low[side], least[side]);
            atomicMax(&high[side], most[side]);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        Outline& o = p.outline[slot];
        o.t0 = low[0], o.t1 = high[0], o.x0 = low[1], o.x1 = high[1], o.y0 = low[2], o.y1 = high[2];
        o.size = size, o.shortest = low[3], o.longest = high[3];
        int4 top = p.rect[first];
        o.uses = p.uses[first].x, o.left = top.x, o.right = top.y, o.down = top.z, o.up = top.w;
    }
}

// Minutes between each bin and the nearest sample; a bound for every sample inside the bin.
__device__ void listen(const Prints& p, int slot, int first, int size) {
    const int4* sample = p.sample + first;
    for (int k = threadIdx.x; k < p.bins; k += blockDim.x) {
        int low = k << p.shift, high = (k + 1) << p.shift, next = 0, stop = size;
        while (next < stop) {
            int middle = (next + stop) >> 1;
            if (sample[middle].x < high) next = middle + 1;
            else stop = middle;
        }
        int gap = next ? max(0, low - sample[next - 1].z) : (int)p.time_cap;
        if (next < size) gap = min(gap, sample[next].x - high);
        p.silence[(i64)slot * p.bins + k] = min(gap, (int)p.time_cap);
    }
}

// The same of longer bins in a byte, behind the samples that lie inside each.
__device__ void listen_longer(const Prints& p, int slot, int first, int size) {
    const int4* sample = p.sample + first;
    unsigned char* inside = p.hours + (i64)slot * 2 * p.longer;
    const unsigned short* silence = p.silence + (i64)slot * p.bins;
    int wider = (int)(p.longer_shift - p.shift);
    for (int k = threadIdx.x; k < p.longer; k += blockDim.x) {
        i64 low = (i64)k << p.longer_shift, high = (i64)(k + 1) << p.longer_shift;
        int next = 0, stop = size, count = 0, from = k << wider, end = (int)min((i64)(k + 1) << wider, p.bins);
        while (next < stop) {
            int middle = (next + stop) >> 1;
            if (sample[middle].x < low) next = middle + 1;
            else stop = middle;
        }
        for (; next < size && sample[next].x < high; next++) count += sample[next].y <= high;
        int gap = from < end ? 0xffff : 0;
        for (int bin = from; bin < end; bin++) gap = min(gap, (int)silence[bin]);
        inside[k] = min(count, 0xff);
        inside[p.longer + k] = min(gap / MINUTES, 0xff);
    }
}

// `rows` in canonical order; everybody in the block arrives and leaves together.
__device__ void lay_out(const Prints& p, int slot, int first, int size, const Box* rows, int* scratch) {
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
        p.sample[first + i].x = rows[i].t0;
        p.sample[first + i].y = rows[i].t1;
    }
    reach_of(p, first, size, rows);
    int places = places_of(p, first, size, rows, scratch);
    __syncthreads();
    outline_of(p, slot, first, size, rows);
    listen(p, slot, first, size);
    __syncthreads();
    listen_longer(p, slot, first, size);
    if (threadIdx.x == 0) {
        p.where[slot].first = first;
        p.where[slot].places = places;
    }
    __syncthreads();
}

extern "C" __global__ void fill(
    BY_VALUE Prints p, const Box* rows, const i64* offsets, const int* people, int* scratch, int begin
) {
    int slot = begin + blockIdx.x;
    i64 first = offsets[slot], from = first - offsets[begin];
    lay_out(p, slot, first, offsets[slot + 1] - first, rows + from, scratch + 3 * from);
    if (threadIdx.x == 0) {
        p.outline[slot].people = people[slot];
        p.outline[slot].ident = slot;
        p.where[slot].state = ACTIVE;
    }
}

// Around the rectangles in each region; they begin empty.
extern "C" __global__ void bound_regions(BY_VALUE Prints p, int4* boxes) {
    Where where = p.where[blockIdx.x];
    for (int k = threadIdx.x; k < where.places; k += blockDim.x) {
        int4 r = p.rect[where.first + k];
        int* box = (int*)(boxes + (p.uses[where.first + k].y & 0xffff));
        atomicMin(box, r.x), atomicMax(box + 1, r.y), atomicMin(box + 2, r.z), atomicMax(box + 3, r.w);
    }
}
