// Threads of CUDA as fibers with a stack each, on one thread of a CPU. A fiber goes on until it waits for others or,
// now and then, at an atomic operation. Who goes on next is drawn at random, among the fibers of a block and among the
// few blocks that are under way at once. Lanes that meet at different lines of the source, and threads that wait for
// ever, end the process with a sentence.
#pragma once
#include <algorithm>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <type_traits>
#include <ucontext.h>
#include <utility>
#include <vector>

struct dim3 {
    int x, y, z;
};
dim3 threadIdx, blockIdx, blockDim, gridDim;
// What all threads of a block share lies in a section of its own, so that another block can take its place.
extern char __start_shared[], __stop_shared[];

namespace emulator {
constexpr int STACK = 64 << 10, WARP = 32, UNDER_WAY = 3;  // bytes of a stack; lanes; blocks at once
constexpr int YIELD_ONE_IN = 16, OTHER_BLOCK_ONE_IN = 2048;
std::minstd_rand dice;

[[noreturn]] inline void fail(const char* what, int line, int other) {
    fprintf(stderr, "emulator: %s, at lines %d and %d, in block %d\n", what, line, other, blockIdx.x);
    abort();
}

// Where threads wait for one another; two sets of values, because the next meeting may begin before all have read.
struct Meet {
    int arrived = 0, line = 0;
    unsigned turn = 0;
    uint64_t value[2][WARP] = {};
    std::vector<int> waiting;
};

struct Fiber {
    jmp_buf at;
    std::vector<char> stack;
    bool begun = false;
};

struct Block {
    int number = -1, living = 0;
    bool fresh = true;  // finds in its shared memory what another block left there
    std::vector<Fiber> fibers;
    std::vector<int> ready;
    std::vector<char> shared, dynamic;
    std::vector<Meet> meets;  // of each warp, then of the block
    std::vector<int> alive;   // threads of each warp, then of the block
};

std::vector<Block> blocks(UNDER_WAY);
Block* now;      // whose turn it is
int thread;      // of that block
jmp_buf master;  // who hands out turns
void (*body)(void**);
void** arguments;

inline void leave() {
    int mine = thread;
    if (!_setjmp(now->fibers[mine].at)) _longjmp(master, 1);
}

inline void yield() {
    if (dice() % YIELD_ONE_IN) return;
    now->ready.push_back(thread);
    leave();
}

// All go on once everybody who is still there has arrived.
inline void release(Meet& meet) {
    meet.turn++;
    meet.arrived = 0;
    now->ready.insert(now->ready.end(), meet.waiting.begin(), meet.waiting.end());
    meet.waiting.clear();
}

// What each lane, or the first lane of all warps together, has brought.
inline const uint64_t* meet_at(int which, int members, uint64_t value, int line) {
    Meet& meet = now->meets[which];
    if (meet.arrived && meet.line != line) fail("threads meet at different lines", meet.line, line);
    uint64_t* values = meet.value[meet.turn & 1];
    meet.line = line;
    if (which == (int)now->meets.size() - 1) {
        if (!meet.arrived) values[0] = values[1] = 0;
        values[0] += value != 0, values[1] |= value;
    } else {
        if (!meet.arrived) std::fill(values, values + WARP, 0);
        values[thread % WARP] = value;
    }
    if (++meet.arrived == members) {
        release(meet);
    } else {
        meet.waiting.push_back(thread);
        leave();
    }
    return values;
}

inline const uint64_t* in_warp(uint64_t value, int line, unsigned mask = 0xffffffffu) {
    if (mask != 0xffffffffu) fail("only whole warps meet here", line, line);
    return meet_at(thread / WARP, now->alive[thread / WARP], value, line);
}

inline const uint64_t* in_block(uint64_t value, int line) {
    return meet_at((int)now->meets.size() - 1, now->alive.back(), value, line);
}

// A thread that is through counts no longer; those who wait for nobody else go on.
inline void depart() {
    for (int which : {thread / WARP, (int)now->meets.size() - 1}) {
        Meet& meet = now->meets[which];
        if (--now->alive[which] == meet.arrived && meet.arrived) release(meet);
    }
    now->living--;
}

inline void fiber_main() {
    for (;;) {
        body(arguments);
        depart();
        leave();
    }
}

inline void turn_of(Block& block) {
    size_t shared = __stop_shared - __start_shared;
    if (now != &block) {
        if (now && now->living) memcpy(now->shared.data(), __start_shared, shared);
        if (!block.fresh) memcpy(__start_shared, block.shared.data(), shared);
        now = &block;
    }
    block.fresh = false;
    blockIdx = {block.number % gridDim.x, block.number / gridDim.x, 0};
    while (!block.ready.empty()) {
        size_t chosen = dice() % block.ready.size();
        std::swap(block.ready[chosen], block.ready.back());
        thread = block.ready.back();
        block.ready.pop_back();
        threadIdx = {thread, 0, 0};
        Fiber& fiber = block.fibers[thread];
        if (!_setjmp(master)) {
            if (fiber.begun) _longjmp(fiber.at, 1);
            fiber.begun = true;
            ucontext_t context;
            getcontext(&context);
            context.uc_stack = {fiber.stack.data(), 0, fiber.stack.size()};
            makecontext(&context, fiber_main, 0);
            setcontext(&context);
        }
        if (dice() % OTHER_BLOCK_ONE_IN == 0) return;
    }
    if (block.living) fail("threads wait for ever", block.meets.back().line, block.meets[0].line);
}

inline void begin(Block& block, int number, int threads, size_t dynamic) {
    int warps = (threads + WARP - 1) / WARP;
    block.number = number, block.living = threads, block.fresh = true;
    while ((int)block.fibers.size() < threads) {
        block.fibers.emplace_back();
        block.fibers.back().stack.resize(STACK);
    }
    block.meets.assign(warps + 1, Meet());
    block.alive.assign(warps + 1, WARP);
    block.alive[warps - 1] = threads - (warps - 1) * WARP, block.alive[warps] = threads;
    block.shared.resize(__stop_shared - __start_shared);
    block.dynamic.assign(dynamic, (char)dice());
    for (int t = 0; t < threads; t++) block.ready.push_back(t);
}

inline void launch(void (*kernel)(void**), const int* grid, int threads, size_t dynamic, void** given, unsigned seed) {
    dice.seed(seed);
    body = kernel, arguments = given;
    gridDim = {grid[0], grid[1], 1}, blockDim = {threads, 1, 1};
    std::vector<int> order(grid[0] * grid[1]);
    for (size_t b = 0; b < order.size(); b++) order[b] = (int)b;
    std::shuffle(order.begin(), order.end(), dice);
    for (;;) {
        Block& block = blocks[dice() % UNDER_WAY];
        if (block.living) {
            turn_of(block);
        } else if (!order.empty()) {
            begin(block, order.back(), threads, dynamic);
            order.pop_back();
        } else if (std::none_of(blocks.begin(), blocks.end(), [](Block& b) { return b.living; })) {
            return;
        }
    }
}

template <typename... Given, size_t... Place>
void unpack(void (*kernel)(Given...), void** given, std::index_sequence<Place...>) {
    kernel(*(std::remove_const_t<Given>*)given[Place]...);
}
template <typename... Given>
void call(void (*kernel)(Given...), void** given) {
    unpack(kernel, given, std::index_sequence_for<Given...>());
}
// Bytes of each argument, so that the host may be told where it gives others.
template <typename... Given>
int sizes(void (*)(Given...), int* bytes) {
    int count = 0;
    ((bytes[count++] = sizeof(Given)), ...);
    return count;
}
template <typename T>
uint64_t bits(T value) {
    uint64_t all = 0;
    memcpy(&all, &value, sizeof value);
    return all;
}
template <typename T>
T from(uint64_t all) {
    T value;
    memcpy(&value, &all, sizeof value);
    return value;
}
}  // namespace emulator
