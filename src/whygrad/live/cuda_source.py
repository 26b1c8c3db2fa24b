"""Kernels in CUDA C that read all gradients of a GPU in one launch, whatever their number.

Each block of threads reads a stretch of one variable: a table says of which, and where it begins. What blocks of one
variable find is added up in memory.

Counting is what costs. Numbers of one gradient lie in few powers of two, so that threads which share counters wait for
each other all the time. Here every thread has counters of its own, of one byte, in the bank of shared memory that only
it uses: counting is a load, an addition and a store that nobody waits for. There are counters for 64 exponents of
either sign; the few numbers outside of these are counted in one table for the block.
"""

from __future__ import annotations

THREADS = 256
EACH = 128
"""Numbers that a thread reads; a counter of one byte cannot count more than 255."""
STRETCH = THREADS * EACH
FIRST, EXPONENTS = 127 - 52, 64
"""Exponents from 2**-52 to 2**11 have counters of their own."""

SOURCE = (
    f"#define THREADS {THREADS}\n#define STRETCH {STRETCH}\n#define FIRST {FIRST}\n#define EXPONENTS {EXPONENTS}\n"
    + r"""
typedef unsigned int u32;
typedef unsigned long long u64;

#if KIND == 0
#define IN_VECTOR 4
typedef u32 Stored;
__device__ __forceinline__ float number(Stored bits) { return __uint_as_float(bits); }
#else
#define IN_VECTOR 8
typedef unsigned short Stored;
#if KIND == 1
__device__ __forceinline__ float number(Stored bits) {
    float found;
    asm("cvt.f32.f16 %0, %1;" : "=f"(found) : "h"(bits));
    return found;
}
#else
__device__ __forceinline__ float number(Stored bits) { return __uint_as_float((u32)bits << 16); }
#endif
#endif

union Vector {
    uint4 whole;
    Stored parts[IN_VECTOR];
};

struct Part {  // what a block reads
    u64 address;
    int size;
    long long row;
};

__device__ __forceinline__ Part part_of(
    const u64* table, const int* whose, const long long* starts, const long long* sizes, const long long* places) {
    int which = whose[blockIdx.x];
    long long start = starts[blockIdx.x], left = sizes[which] - start;
    return {table[which] + start * sizeof(Stored), (int)(left < STRETCH ? left : STRETCH), places[which]};
}

__device__ __forceinline__ u32 sum_of_warp(u32 value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(0xffffffff, value);
#else
    for (int by = 16; by; by >>= 1) value += __shfl_xor_sync(0xffffffff, value, by);
    return value;
#endif
}

__device__ __forceinline__ void add_over_warp(double value, double* to) {
    for (int by = 16; by; by >>= 1) value += __shfl_xor_sync(0xffffffff, value, by);
    if ((threadIdx.x & 31) == 0) atomicAdd(to, value);
}

struct Seen {
    double squares;
    float total, largest;
    u32 zeros;
};

__device__ __forceinline__ void see(float x, Seen& seen, unsigned char* mine, u32* others, u32* nans) {
    u32 bits = __float_as_uint(x);
    u32 near = min(((bits >> 23) & 255) - FIRST, EXPONENTS);
    double exact = x;
    seen.squares += exact * exact;
    seen.total += x;
    seen.largest = fmaxf(seen.largest, fabsf(x));
    // Four counters of a thread lie in one word, and words of one thread in one bank. The last one is of all others.
    mine[(near >> 1) * (4 * THREADS) + (near & 1) * 2 + (bits >> 31)] += 1;
    if (near == EXPONENTS && bits << 1) {
        atomicAdd(others + (bits >> 23), 1);
        if (x != x) atomicAdd(nans, 1);
        seen.zeros -= 1;  // was counted with them
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) measure(
    const u64* table, const int* whose, const long long* starts, const long long* sizes, const long long* places,
    double* sums, int* counts) {
    __shared__ u32 counters[(EXPONENTS / 2 + 1) * THREADS];
    __shared__ u32 others[512];
    __shared__ u32 nans;
    __shared__ double totals[2];
    __shared__ u32 rest[2];
    const int thread = threadIdx.x;
    for (int at = 0; at <= EXPONENTS / 2; at++) counters[at * THREADS + thread] = 0;
    for (int at = thread; at < 512; at += THREADS) others[at] = 0;
    if (thread == 0) nans = rest[0] = rest[1] = 0, totals[0] = totals[1] = 0.0;
    __syncthreads();

    Part part = part_of(table, whose, starts, sizes, places);
    unsigned char* mine = (unsigned char*)(counters + thread);
    Seen seen = {0.0, 0.0f, 0.0f, 0};
    int done = 0;
    if ((part.address & 15) == 0) {
        const uint4* vectors = (const uint4*)part.address;
        const int count = part.size / IN_VECTOR;
        for (int at = thread; at < count; at += 2 * THREADS) {
            Vector here[2];
            for (int k = 0; k < 2; k++)
                if (at + k * THREADS < count) here[k].whole = __ldcs(vectors + at + k * THREADS);
            for (int k = 0; k < 2; k++)
                if (at + k * THREADS < count)
                    for (int i = 0; i < IN_VECTOR; i++) see(number(here[k].parts[i]), seen, mine, others, &nans);
        }
        done = count * IN_VECTOR;
    }
    for (int at = done + thread; at < part.size; at += THREADS)
        see(number(((const Stored*)part.address)[at]), seen, mine, others, &nans);

    add_over_warp(seen.total, totals);
    add_over_warp(seen.squares, totals + 1);
    u32 last = counters[EXPONENTS / 2 * THREADS + thread];
    u32 zeros = sum_of_warp(seen.zeros + (last & 255) + (last >> 8 & 255));
    if ((thread & 31) == 0 && zeros) atomicAdd(rest, zeros);
    for (int by = 16; by; by >>= 1)
        seen.largest = fmaxf(seen.largest, __shfl_xor_sync(0xffffffff, seen.largest, by));
    if ((thread & 31) == 0) atomicMax(rest + 1, __float_as_uint(seen.largest));  // above zero, bits are in order
    __syncthreads();

    double* out = sums + part.row * 5;
    int* spread = counts + part.row * 512;
    if (thread == 0) {
        atomicAdd(out, totals[0]);
        atomicAdd(out + 1, totals[1]);
        if (rest[0]) atomicAdd(out + 2, (double)rest[0]);
        if (nans) atomicAdd(out + 3, (double)nans);
        atomicMax((long long*)(out + 4), __double_as_longlong((double)__uint_as_float(rest[1])));
    }
    for (int at = thread; at < 512; at += THREADS)
        if (others[at]) atomicAdd(spread + at, others[at]);
    for (int word = thread >> 5; word < EXPONENTS / 2; word += THREADS / 32) {
        u32 even = 0, odd = 0;  // two sums of 16 bits in each
        for (int at = thread & 31; at < THREADS; at += 32) {
            u32 four = counters[word * THREADS + at];
            even += four & 0x00ff00ff;
            odd += (four >> 8) & 0x00ff00ff;
        }
        even = sum_of_warp(even);
        odd = sum_of_warp(odd);
        int byte = thread & 31;
        u32 found = (byte & 1 ? odd : even) >> (byte & 2) * 8 & 65535;
        if (byte < 4 && found) atomicAdd(spread + (byte & 1) * 256 + word * 2 + (byte >> 1) + FIRST, found);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) squares(
    const u64* table, const int* whose, const long long* starts, const long long* sizes, const long long* places,
    double* sums) {
    __shared__ double total;
    if (threadIdx.x == 0) total = 0.0;
    __syncthreads();
    Part part = part_of(table, whose, starts, sizes, places);
    double found = 0.0;
    int done = 0;
    if ((part.address & 15) == 0) {
        const uint4* vectors = (const uint4*)part.address;
        const int count = part.size / IN_VECTOR;
        for (int at = threadIdx.x; at < count; at += 4 * THREADS) {
            Vector here[4];
            for (int k = 0; k < 4; k++)
                here[k].whole = at + k * THREADS < count ? __ldcs(vectors + at + k * THREADS) : make_uint4(0, 0, 0, 0);
            for (int k = 0; k < 4; k++)
                for (int i = 0; i < IN_VECTOR; i++) {
                    double exact = number(here[k].parts[i]);
                    found += exact * exact;
                }
        }
        done = count * IN_VECTOR;
    }
    for (int at = done + threadIdx.x; at < part.size; at += THREADS) {
        double exact = number(((const Stored*)part.address)[at]);
        found += exact * exact;
    }
    add_over_warp(found, &total);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(sums + part.row, total);
}

__device__ __forceinline__ void step(Stored now, Stored before, double& moved, double& length) {
    double old = number(before), by = (double)number(now) - old;
    moved += by * by;
    length += old * old;
}

extern "C" __global__ void __launch_bounds__(THREADS) compare(
    const u64* table, const u64* held, const int* whose, const long long* starts, const long long* sizes,
    const long long* places, double* sums) {
    __shared__ double totals[2];
    if (threadIdx.x == 0) totals[0] = totals[1] = 0.0;
    __syncthreads();
    Part now = part_of(table, whose, starts, sizes, places);
    Part before = part_of(held, whose, starts, sizes, places);
    double moved = 0.0, length = 0.0;
    int done = 0;
    if (((now.address | before.address) & 15) == 0) {
        const uint4* from = (const uint4*)now.address;
        uint4* to = (uint4*)before.address;
        const int count = now.size / IN_VECTOR;
        for (int at = threadIdx.x; at < count; at += 2 * THREADS) {
            Vector fresh[2], old[2];
            for (int k = 0; k < 2; k++)
                if (at + k * THREADS < count) {
                    fresh[k].whole = from[at + k * THREADS];
                    old[k].whole = to[at + k * THREADS];
                }
            for (int k = 0; k < 2; k++)
                if (at + k * THREADS < count) {
                    to[at + k * THREADS] = fresh[k].whole;
                    for (int i = 0; i < IN_VECTOR; i++) step(fresh[k].parts[i], old[k].parts[i], moved, length);
                }
        }
        done = count * IN_VECTOR;
    }
    for (int at = done + threadIdx.x; at < now.size; at += THREADS) {
        Stored fresh = ((const Stored*)now.address)[at];
        step(fresh, ((const Stored*)before.address)[at], moved, length);
        ((Stored*)before.address)[at] = fresh;
    }
    add_over_warp(moved, totals);
    add_over_warp(length, totals + 1);
    __syncthreads();
    if (threadIdx.x < 2) atomicAdd(sums + now.row * 2 + threadIdx.x, totals[threadIdx.x]);
}
"""
)
