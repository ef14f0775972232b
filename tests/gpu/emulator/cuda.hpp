// CUDA's words on a CPU, so that kernels run without a card.
#include "fibers.hpp"

#define __global__
#define __device__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __shared__ static __attribute__((section("shared")))
#define AT int line = __builtin_LINE()

struct __align__(8) int2 {
    int x, y;
};
struct __align__(16) int4 {
    int x, y, z, w;
};
struct __align__(8) uint2 {
    unsigned x, y;
};
struct __align__(16) uint4 {
    unsigned x, y, z, w;
};
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }

inline void __syncthreads(AT) { emulator::in_block(0, line); }
inline int __syncthreads_or(int value, AT) { return emulator::in_block((unsigned)value, line)[1] != 0; }
inline int __syncthreads_count(int value, AT) { return (int)emulator::in_block((unsigned)value, line)[0]; }
inline void __syncwarp(AT) { emulator::in_warp(0, line); }
inline void __threadfence() {}
template <typename T>
T __shfl_sync(unsigned mask, T value, int lane, AT) {
    return emulator::from<T>(emulator::in_warp(emulator::bits(value), line, mask)[lane & 31]);
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int other, AT) {
    int lane = threadIdx.x & 31;
    return emulator::from<T>(emulator::in_warp(emulator::bits(value), line, mask)[lane ^ other]);
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, int by, AT) {
    int lane = threadIdx.x & 31;
    return emulator::from<T>(emulator::in_warp(emulator::bits(value), line, mask)[lane < by ? lane : lane - by]);
}
inline unsigned __ballot_sync(unsigned mask, int value, AT) {
    const uint64_t* all = emulator::in_warp(value != 0, line, mask);
    unsigned set = 0;
    for (int lane = 0; lane < 32; lane++) set |= (unsigned)all[lane] << lane;
    return set;
}
template <typename T>
unsigned __match_any_sync(unsigned mask, T value, AT) {
    const uint64_t* all = emulator::in_warp(emulator::bits(value), line, mask);
    unsigned set = 0;
    for (int lane = 0; lane < 32; lane++) set |= (unsigned)(all[lane] == emulator::bits(value)) << lane;
    return set;
}

template <typename T, typename Change>
T atomically(T* at, Change change) {
    emulator::yield();
    T before = *at;
    *at = change(before);
    return before;
}
template <typename T, typename V>
T atomicAdd(T* at, V by) { return atomically(at, [&](T v) { return (T)(v + by); }); }
template <typename T, typename V>
T atomicMin(T* at, V by) { return atomically(at, [&](T v) { return std::min<T>(v, by); }); }
template <typename T, typename V>
T atomicMax(T* at, V by) { return atomically(at, [&](T v) { return std::max<T>(v, by); }); }

template <typename A, typename B>
std::common_type_t<A, B> min(A a, B b) { return b < a ? b : a; }
template <typename A, typename B>
std::common_type_t<A, B> max(A a, B b) { return a < b ? b : a; }
inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline int __ffs(int v) { return __builtin_ffs(v); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline double __longlong_as_double(long long v) { return emulator::from<double>((uint64_t)v); }
inline long long __double_as_longlong(double v) { return (long long)emulator::bits(v); }
template <typename Choose>
unsigned halves(unsigned a, unsigned b, Choose choose) {
    return choose(a & 0xffff, b & 0xffff) | choose(a >> 16, b >> 16) << 16;
}
inline unsigned __vmaxu2(unsigned a, unsigned b) { return halves(a, b, max<unsigned, unsigned>); }
inline unsigned __vminu2(unsigned a, unsigned b) { return halves(a, b, min<unsigned, unsigned>); }
inline unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
    for (int s = 0; s < 32; s += 8) sum += (a >> s & 0xff) * (b >> s & 0xff);
    return sum;
}
