// Limited-memory BFGS of many starts in lock step, all of it on the card. Launched by kernels/src/lbfgs.rs; twin of
// pipeline/reflectarray/src/lbfgs/search.rs, whose decisions `decide` repeats, without bounds.
//
// | array | layout |
// |---|---|
// | points, trials, gradients, new_gradients, directions | [start][unknown] |
// | steps, changes | [start][pair][unknown]: s and y |
// | products | [start][2 PAIRS][2 PAIRS]: of all s, then all y, with each other |
// | sums | [start][part][SUMS] |
// | coefficients | [start][2 PAIRS + 1]: of s, y and the gradient in the direction |
//
// A direction is a sum of the vectors s, y and g, so that the two loops need only the products of these with each other (Chen, Wang and
// Zhou, Large-scale L-BFGS using MapReduce, 2014): one pass over memory for the products, one for the direction.
//
// Roof: device memory or L2, (2 PAIRS + 7) values of every unknown twice.

#include "abi/reflectarray.h"
#include "sums.cuh"

namespace {

constexpr u32 PAIRS = 12;
constexpr u32 VECTORS = 2 * PAIRS;
// Products of s, y and g with every vector, and what `Own` counts.
enum Own { MOVED, REMAINS, STEP_CHANGE, CHANGE_CHANGE, GRADIENT_CHANGE, GRADIENT_GRADIENT, STEP_STEP, LARGEST, OWN };
constexpr u32 SUMS = 3 * VECTORS + OWN;
constexpr u32 SLICE = 512;
constexpr u32 COMPARE_THREADS = 1024;
constexpr u32 MOVE_THREADS = 256;
constexpr u32 DECIDE_THREADS = 128;
enum State { FRESH, MOVES, CONVERGED, ENDED };
// Part of the slope that a step must gain, and part of it that may remain; trials along one direction.
constexpr double GAINED = 1e-4, REMAINING = 0.9;
constexpr u32 TRIALS = 30;

}  // namespace

// Products of a slice of the unknowns. Warps take a vector each, the last ones those of the trial itself. Grid: slice, start.
extern "C" __global__ /* hot */ void __launch_bounds__(COMPARE_THREADS)
    compare(const u32* moves, const double* points, const double* trials, const double* gradients, const double* new_gradients,
            const double* steps, const double* changes, double* sums, LbfgsSettings settings) {
    __shared__ double s[SLICE], y[SLICE], g[SLICE], old[SLICE];
    const u32 start = blockIdx.y, first = blockIdx.x * SLICE, n = settings.unknowns;
    if (!moves[start]) return;
    const u32 count = min(SLICE, n - first);
    const size_t at = static_cast<size_t>(start) * n + first;
    for (u32 i = threadIdx.x; i < count; i += COMPARE_THREADS) {
        s[i] = trials[at + i] - points[at + i];
        g[i] = new_gradients[at + i];
        old[i] = gradients[at + i];
        y[i] = g[i] - old[i];
    }
    __syncthreads();
    const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    double a = 0.0, b = 0.0, c = 0.0;
    double* to = sums + (static_cast<size_t>(start) * settings.parts + blockIdx.x) * SUMS;
    if (warp < VECTORS) {
        const double* vector = warp < PAIRS ? steps : changes;
        vector += (static_cast<size_t>(start) * PAIRS + warp % PAIRS) * n + first;
        for (u32 i = lane; i < count; i += 32) {
            const double v = vector[i];
            a = fma(s[i], v, a), b = fma(y[i], v, b), c = fma(g[i], v, c);
        }
        a = warp_sum(a), b = warp_sum(b), c = warp_sum(c);
        if (lane == 0) to[warp] = a, to[VECTORS + warp] = b, to[2 * VECTORS + warp] = c;
        return;
    }
    to += 3 * VECTORS;
    if (warp < VECTORS + LARGEST) {
        const u32 which = warp - VECTORS;
        const double* left = which <= STEP_CHANGE || which == STEP_STEP ? s : which == CHANGE_CHANGE ? y : g;
        const double* right = which == MOVED ? old : which == REMAINS || which == GRADIENT_GRADIENT ? g : which == STEP_STEP ? s : y;
        for (u32 i = lane; i < count; i += 32) a = fma(left[i], right[i], a);
        a = warp_sum(a);
        if (lane == 0) to[which] = a;
    } else {
        for (u32 i = lane; i < count; i += 32) a = fmax(a, fabs(g[i]));
        for (int step = 16; step > 0; step /= 2) a = fmax(a, __shfl_xor_sync(0xffffffff, a, step));
        if (lane == 0) to[LARGEST] = a;
    }
}

namespace {

// The end of a direction: without pairs once more, then the end.
inline void stuck(LbfgsSearch& search) {
    if (search.pairs == 0) {
        search.state = ENDED;
    } else {
        search.pairs = 0;
        search.turned = 1;
    }
}

// What the trial was good for. `own` are the products of the trial.
inline void judge(LbfgsSearch& search, double value, const double* own, const LbfgsSettings& settings) {
    search.taken = search.stored = search.turned = 0;
    const bool usable = isfinite(value) && isfinite(own[GRADIENT_GRADIENT]);
    if (search.state == FRESH) {
        search.state = usable ? MOVES : ENDED;
        if (usable) search.value = value, search.taken = search.turned = 1;
        return;
    }
    search.trials++;
    const double moved = own[MOVED];
    if (!usable || value > search.value + GAINED * moved || moved >= 0.0) {
        search.high = search.step;
    } else if (own[REMAINS] < REMAINING * moved && search.trials < TRIALS) {
        search.low = search.step;
    } else {
        search.taken = 1;
        search.stored = own[STEP_CHANGE] > 2.220446049250313e-16 * own[CHANGE_CHANGE];
        search.idle = search.value - value < settings.gain ? search.idle + 1 : 0;
        search.value = value;
        search.iterations++;
        if (search.idle >= settings.patience) {
            search.state = CONVERGED;
        } else if (search.iterations >= settings.iterations) {
            search.state = ENDED;
        } else {
            search.turned = 1;
        }
        return;
    }
    if (search.trials >= TRIALS) return stuck(search);
    search.step = isfinite(search.high) ? 0.5 * (search.low + search.high) : 2.0 * search.low;
}

}  // namespace

// Takes the trial or not, and finds the next direction as a sum of vectors. One block a start.
extern "C" __global__ /* hot */ void __launch_bounds__(DECIDE_THREADS)
    decide(const double* values, const double* sums, double* products, double* coefficients, LbfgsSearch* searches, u32* moves,
           LbfgsSettings settings) {
    // Products of all s, all y and g with each other.
    __shared__ double all[SUMS], p[VECTORS + 1][VECTORS + 1];
    __shared__ LbfgsSearch search;
    const u32 start = blockIdx.x;
    if (!moves[start]) {
        if (threadIdx.x == 0) searches[start].taken = 0;
        return;
    }
    for (u32 i = threadIdx.x; i < SUMS; i += DECIDE_THREADS) {
        const double* from = sums + static_cast<size_t>(start) * settings.parts * SUMS + i;
        double sum = 0.0;
        for (u32 part = 0; part < settings.parts; part++) {
            const double term = from[static_cast<size_t>(part) * SUMS];
            sum = i == 3 * VECTORS + LARGEST ? fmax(sum, term) : sum + term;
        }
        all[i] = sum;
    }
    products += static_cast<size_t>(start) * VECTORS * VECTORS;
    for (u32 i = threadIdx.x; i < VECTORS * VECTORS; i += DECIDE_THREADS) p[i / VECTORS][i % VECTORS] = products[i];
    if (threadIdx.x == 0) search = searches[start];
    __syncthreads();
    const double* own = all + 3 * VECTORS;
    if (threadIdx.x == 0) {
        judge(search, values[start], own, settings);
        if (search.taken) search.squared = own[GRADIENT_GRADIENT];
    }
    __syncthreads();
    const u32 at = search.next;
    if (search.stored && threadIdx.x < VECTORS) {
        const u32 j = threadIdx.x;
        p[at][j] = p[j][at] = j == at ? own[STEP_STEP] : j == PAIRS + at ? own[STEP_CHANGE] : all[j];
        // The product of s and y was written by the line above from both sides.
        if (j != at) p[PAIRS + at][j] = p[j][PAIRS + at] = j == PAIRS + at ? own[CHANGE_CHANGE] : all[VECTORS + j];
    }
    __syncthreads();
    if (threadIdx.x >= 32) return;
    const u32 lane = threadIdx.x;
    if (search.stored) {
        for (u32 j = lane; j < VECTORS; j += 32) {
            products[at * VECTORS + j] = products[j * VECTORS + at] = p[at][j];
            products[(PAIRS + at) * VECTORS + j] = products[j * VECTORS + PAIRS + at] = p[PAIRS + at][j];
        }
    }
    if (lane == 0) {
        if (search.stored) {
            search.next = (at + 1) % PAIRS;
            search.pairs = min(search.pairs + 1, PAIRS);
        }
        if (search.turned && search.taken && own[LARGEST] <= settings.gradient) search.state = CONVERGED, search.turned = 0;
        if (search.turned) search.low = 0.0, search.high = __longlong_as_double(0x7ff0000000000000ll), search.trials = 0, search.step = 1.0;
    }
    __syncwarp();
    if (search.turned) {
        // Column of g: a lane has the product of its vector with g, and its coefficient in the direction.
        double with_g = 0.0, coefficient = lane == VECTORS ? 1.0 : 0.0;
        if (lane < VECTORS) {
            with_g = all[2 * VECTORS + lane];
            if (search.stored && lane == at) with_g = own[REMAINS];
            if (search.stored && lane == PAIRS + at) with_g = own[GRADIENT_CHANGE];
        } else if (lane == VECTORS) {
            with_g = search.squared;
        }
        // Product of the direction so far with vector i.
        auto with = [&](u32 i) {
            const double term = lane < VECTORS ? p[lane][i] : 0.0;
            const double g = __shfl_sync(0xffffffff, with_g, i);
            return warp_sum(coefficient * (lane == VECTORS ? g : term));
        };
        double alphas = 0.0;  // lane i has that of pair i
        const u32 pairs = search.pairs, newest = (search.next + PAIRS - 1) % PAIRS;
        for (u32 i = 0; i < pairs; i++) {
            const u32 pair = (newest + PAIRS - i) % PAIRS;
            const double alpha = with(pair) / p[pair][PAIRS + pair];
            if (lane == pair) alphas = alpha;
            if (lane == PAIRS + pair) coefficient -= alpha;
        }
        if (pairs) coefficient *= p[newest][PAIRS + newest] / p[PAIRS + newest][PAIRS + newest];
        for (u32 i = pairs; i-- > 0;) {
            const u32 pair = (newest + PAIRS - i) % PAIRS;
            const double beta = with(PAIRS + pair) / p[pair][PAIRS + pair];
            const double alpha = __shfl_sync(0xffffffff, alphas, pair);
            if (lane == pair) coefficient += alpha - beta;
        }
        if (pairs == 0 || !(warp_sum(coefficient * with_g) > 0.0)) {
            if (lane == 0) search.pairs = 0;
            coefficient = lane == VECTORS ? settings.first_step / sqrt(search.squared) : 0.0;
        }
        if (lane <= VECTORS) coefficients[start * (VECTORS + 1) + lane] = coefficient;
    }
    __syncwarp();
    if (lane == 0) {
        searches[start] = search;
        moves[start] = search.state == MOVES;
    }
}

// Takes over what was decided, and makes the next trial. Grid: slice, start.
extern "C" __global__ /* hot */ void __launch_bounds__(MOVE_THREADS)
    move_on(const LbfgsSearch* searches, const double* coefficients, double* points, double* trials, double* gradients,
            const double* new_gradients, double* directions, double* steps, double* changes, LbfgsSettings settings) {
    __shared__ double weights[VECTORS + 1];
    const u32 start = blockIdx.y, n = settings.unknowns, i = blockIdx.x * MOVE_THREADS + threadIdx.x;
    const LbfgsSearch& search = searches[start];
    if (threadIdx.x <= VECTORS) weights[threadIdx.x] = coefficients[start * (VECTORS + 1) + threadIdx.x];
    __syncthreads();
    if (i >= n || (search.state != MOVES && !search.taken)) return;
    const size_t at = static_cast<size_t>(start) * n + i, base = static_cast<size_t>(start) * PAIRS * n + i;
    double point = points[at], gradient = gradients[at];
    const u32 slot = (search.next + PAIRS - 1) % PAIRS;
    if (search.taken) {
        const double trial = trials[at], fresh = new_gradients[at];
        if (search.stored) {
            steps[base + static_cast<size_t>(slot) * n] = trial - point;
            changes[base + static_cast<size_t>(slot) * n] = fresh - gradient;
        }
        points[at] = point = trial;
        gradients[at] = gradient = fresh;
    }
    if (search.state != MOVES) return;
    double direction;
    if (search.turned) {
        direction = weights[VECTORS] * gradient;
        for (u32 j = 0; j < PAIRS; j++) {
            direction = fma(weights[j], steps[base + static_cast<size_t>(j) * n], direction);
            direction = fma(weights[PAIRS + j], changes[base + static_cast<size_t>(j) * n], direction);
        }
        directions[at] = direction;
    } else {
        direction = directions[at];
    }
    trials[at] = fma(-search.step, direction, point);
}
