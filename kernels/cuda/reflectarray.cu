// Objective and gradient of reflectarrays on a lattice, many designs at once. Launched by kernels/src/reflectarray.rs; twin of
// pipeline/reflectarray/src/cpu.rs and cpu/moments.rs, whose docs have the formulas.
//
// | array | layout |
// |---|---|
// | unknowns, gradient | [design][element], or [design][coefficient] where phases are Zernike's polynomials on top of `base` |
// | base, by_phase | [design][element] |
// | amplitude, carrier | [element], row by row |
// | grid | [design][tall][wide], zero where no element is |
// | along, up | T_k of the columns [column][k] and [k][column] |
// | down, over | T_l of the rows [row][l] and [l][row] |
// | lines | [design][row][k] |
// | far_lines | [design][line][k] |
// | waves_u, waves_u_turned | e_k J_k at the different u: [k][u] and [u][k] |
// | waves_v, waves_v_turned | e_l J_l at the different v: [l][line] and [line][l] |
// | starts | [line + 1]: first direction of a line; directions lie line by line |
// | line_of, place_of | [direction]: number of its v and of its u |
// | pieces | [piece + 1]: first direction of a piece of a line |
// | field, logs | [design][direction] |
// | field_sums | [design][part][5] |
// | line_sums | [design][line][2] |
// | power_sums | [design][part] |
// | totals, arrived | [design], [design][3]: sums of all blocks, and how many have come |
// | values | [design], scores [design][2] |
//
// One block is one line of a matrix product: short enough that a single design takes little time, and many designs fill the card. Sums are in
// the same order each time. Designs that rest (`moves` is 0) are left out.
//
// Roof: shared memory and L1, 3 transactions for 2 multiply-adds of a warp; the transforms of the power, device memory.

#include "reflectarray.cuh"

// Excitations of a row, to the power's grid; and with the carrier, their sums with T_k. Grid: row, design.
extern "C" __global__ /* hot */ void __launch_bounds__(MOST / 2)
    excite(const u32* moves, const double* unknowns, const double* base, const double* zernike, const double2* amplitude,
           const double2* carrier, const double* along, double2* grid, double2* lines, Reflectarray r) {
    extern __shared__ double2 row[];
    const u32 design = blockIdx.y, y = blockIdx.x;
    if (!moves[design]) return;
    const u32 elements = r.columns * r.rows;
    for (u32 x = threadIdx.x; x < r.columns; x += blockDim.x) {
        const u32 n = y * r.columns + x;
        double phase;
        if (r.zernike) {
            phase = base[static_cast<size_t>(design) * elements + n];
            for (u32 i = 0; i < r.zernike; i++) {
                phase = fma(unknowns[design * r.zernike + i], zernike[static_cast<size_t>(i) * elements + n], phase);
            }
        } else {
            phase = unknowns[static_cast<size_t>(design) * elements + n];
        }
        double s, c;
        sincos(phase, &s, &c);
        const double2 a = times(amplitude[n], make_double2(c, s));
        grid[(static_cast<size_t>(design) * r.tall + y) * r.wide + x] = a;
        row[x] = times(a, carrier[n]);
    }
    __syncthreads();
    double2* to = lines + (static_cast<size_t>(design) * r.rows + y) * r.terms_x;
    product(row, r.columns, along, r.terms_x, Same(), [&](u32 k, double2 sum) { to[k] = sum; });
}

// Moments k, and what the different v make of them. Grid: k, design.
extern "C" __global__ /* hot */ void __launch_bounds__(MOST)
    lines_to_far(const u32* moves, const double2* lines, const double* down, const double* waves_v, double2* far_lines, Reflectarray r) {
    extern __shared__ double2 column[];
    const u32 design = blockIdx.y, k = blockIdx.x;
    if (!moves[design]) return;
    double2* moments = column + r.rows;
    for (u32 y = threadIdx.x; y < r.rows; y += blockDim.x) {
        column[y] = lines[(static_cast<size_t>(design) * r.rows + y) * r.terms_x + k];
    }
    __syncthreads();
    product(column, r.rows, down, r.terms_y, Same(), [&](u32 l, double2 sum) { moments[l] = quarter(sum, k + l); });
    double2* to = far_lines + static_cast<size_t>(design) * r.lines * r.terms_x + k;
    product(moments, r.terms_y, waves_v, r.lines, Same(),
            [&](u32 line, double2 sum) { to[static_cast<size_t>(line) * r.terms_x] = sum; });
}

namespace {

// The TOGETHER designs of a block; the last group may have the last design more than once.
struct Group {
    u32 first, most;
    bool moves = false;

    Group(const u32* all, const Reflectarray& r) : first(blockIdx.y * TOGETHER), most(r.designs - 1) {
        for (u32 t = 0; t < TOGETHER; t++) moves = moves || all[design(t)];
    }
    u32 design(u32 t) const { return min(first + t, most); }
};

// Directions of a lane: what it reads of their line serves all of them. Warps that share the terms of a piece: where designs are few, so are
// threads. Terms that are read at once.
constexpr u32 SEEN = TOGETHER == 1 ? 2 : 4, PARTS = TOGETHER == 1 ? 4 : 1, AHEAD = TOGETHER == 1 ? 4 : 2;
constexpr u32 WARPS = THREADS / 32;

// Up to 32 SEEN directions of one line.
struct Piece {
    u32 first, end, line;
    u32 direction(u32 i) const { return first + 32 * i + threadIdx.x % 32; }
};

// Fields of a piece's directions, those of a lane.
typedef double2 Fields[TOGETHER][SEEN];

// Adds AHEAD terms from k on, PARTS apart; those from r.terms_x on are not there.
template <bool WHOLE>
inline void some_terms(Fields& f, const double* __restrict__ waves_u, u32 places, const u32 (&place)[SEEN], const double2* __restrict__ line, u32 k,
                       const Group& group, const Reflectarray& r) {
    double factors[AHEAD][SEEN];
#pragma unroll
    for (u32 ahead = 0; ahead < AHEAD; ahead++) {
        const u32 at = k + ahead * PARTS;
#pragma unroll
        for (u32 i = 0; i < SEEN; i++) factors[ahead][i] = WHOLE || at < r.terms_x ? __ldg(waves_u + at * places + place[i]) : 0.0;
    }
#pragma unroll
    for (u32 t = 0; t < TOGETHER; t++) {
        const double2* own = line + static_cast<size_t>(group.design(t)) * r.lines * r.terms_x;
#pragma unroll
        for (u32 ahead = 0; ahead < AHEAD; ahead++) {
            const double2 value = __ldg(own + (WHOLE ? k + ahead * PARTS : min(k + ahead * PARTS, r.terms_x - 1)));
#pragma unroll
            for (u32 i = 0; i < SEEN; i++) f[t][i] = f[t][i] + factors[ahead][i] * value;
        }
    }
}

// The sum over the warps that share a piece, in the first of them.
inline void join(Fields& f, u32 part) {
    __shared__ double2 room[WARPS][SEEN][32];
    const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
    for (u32 i = 0; i < SEEN; i++) room[warp][i][lane] = f[0][i];
    __syncthreads();
    if (part != 0) return;
    for (u32 p = 1; p < PARTS; p++) {
#pragma unroll
        for (u32 i = 0; i < SEEN; i++) f[0][i] = f[0][i] + room[warp + p][i][lane];
    }
}

// Writes fields and levels, and what they add to the sums.
inline void levels_of_piece(const Fields& f, const Piece& piece, double* sums, const double* gains, const double* lower, const double* shares,
                            double2* field, double* logs, u32 t, u32 design, const Reflectarray& r) {
    double margins[SEEN], smallest = INFINITE, darkest = INFINITE, all = 0.0, mean = 0.0, inside = 0.0;
#pragma unroll
    for (u32 i = 0; i < SEEN; i++) {
        const u32 d = piece.direction(i);
        margins[i] = INFINITE;
        if (d >= piece.end) continue;
        const size_t at = static_cast<size_t>(design) * r.directions + d;
        const double log_level = log(gains[d] * norm_squared(f[t][i])), share = shares[d];
        field[at] = f[t][i], logs[at] = log_level;
        margins[i] = log_level - lower[d];
        if (margins[i] < INFINITE) darkest = fmin(darkest, log_level);
        if (share > 0.0) mean = fma(share, log_level, mean), inside += log_level;
        smallest = fmin(smallest, margins[i]);
    }
    smallest = warp_least(smallest), darkest = warp_least(darkest);
#pragma unroll
    for (u32 i = 0; i < SEEN; i++) all += margins[i] < INFINITE ? exp(-r.sharpness * (margins[i] - smallest)) : 0.0;
    all = warp_sum(all), mean = warp_sum(mean), inside = warp_sum(inside);
    if (threadIdx.x % 32 == 0) sums[0] = smallest, sums[1] = all, sums[2] = mean, sums[3] = inside, sums[4] = darkest;
}

// The sums of all blocks of `field_levels`.
inline void total_levels(const double* parts, Totals& t, const Reflectarray& r) {
    double smallest = INFINITE, darkest = INFINITE, sums[3] = {};
    for (u32 i = threadIdx.x; i < r.field_parts; i += THREADS) smallest = fmin(smallest, parts[i * 5]);
    smallest = least(smallest);
    for (u32 i = threadIdx.x; i < r.field_parts; i += THREADS) {
        const double* part = parts + i * 5;
        if (part[0] < INFINITE) sums[0] = fma(part[1], exp(-r.sharpness * (part[0] - smallest)), sums[0]);
        sums[1] += part[2], sums[2] += part[3];
        darkest = fmin(darkest, part[4]);
    }
    sums_of_block(sums);
    darkest = least(darkest);
    if (threadIdx.x == 0) t.smallest = smallest, t.darkest = darkest, t.all = sums[0], t.mean = sums[1], t.inside = sums[2];
}

}  // namespace

// The field at the directions, ln of its level, and sums of the objective that do not need the power. Grid: pieces of lines, TOGETHER designs.
extern "C" __global__ void __launch_bounds__(THREADS, TOGETHER == 1 ? 4 : 2)
    field_levels(const u32* moves, const double2* far_lines, const double* waves_u, const u32* pieces, const u32* line_of, const u32* place_of,
                 const double* gains, const double* lower, const double* shares, double2* field, double* logs, double* field_sums,
                 Totals* totals, u32* arrived, u32 places, Reflectarray r) {
    const Group group(moves, r);
    if (!group.moves) return;
    const u32 warp = threadIdx.x / 32, part = warp % PARTS, number = blockIdx.x * (WARPS / PARTS) + warp / PARTS;
    const bool here = number < r.field_parts;
    Piece piece = {};
    if (here) piece = {pieces[number], pieces[number + 1], line_of[pieces[number]]};
    Fields f = {};
    if (here) {
        u32 place[SEEN], k = part;
#pragma unroll
        for (u32 i = 0; i < SEEN; i++) place[i] = place_of[min(piece.direction(i), piece.end - 1)];
        const double2* line = far_lines + static_cast<size_t>(piece.line) * r.terms_x;
        for (; k + (AHEAD - 1) * PARTS < r.terms_x; k += AHEAD * PARTS) some_terms<true>(f, waves_u, places, place, line, k, group, r);
        if (k < r.terms_x) some_terms<false>(f, waves_u, places, place, line, k, group, r);
    }
    if (PARTS > 1) join(f, part);
    if (here && part == 0) {
#pragma unroll
        for (u32 t = 0; t < TOGETHER; t++) {
            double* sums = field_sums + (static_cast<size_t>(group.design(t)) * r.field_parts + number) * 5;
            levels_of_piece(f, piece, sums, gains, lower, shares, field, logs, t, group.design(t), r);
        }
    }
    if (!last(arrived + 3 * blockIdx.y, gridDim.x)) return;
    for (u32 t = 0; t < TOGETHER; t++) {
        total_levels(field_sums + static_cast<size_t>(group.design(t)) * r.field_parts * 5, totals[group.design(t)], r);
    }
}

// The spectrum times the kernel's, and the power. Grid: points, design.
extern "C" __global__ /* hot */ void __launch_bounds__(THREADS)
    weigh(const u32* moves, double2* spectrum, const double* weights, double* power_sums, Totals* totals, u32* arrived, Reflectarray r) {
    const u32 design = blockIdx.y, points = r.wide * r.tall;
    if (!moves[design]) return;
    double2* own = spectrum + static_cast<size_t>(design) * points;
    double power = 0.0;
    for (u32 i = blockIdx.x * THREADS + threadIdx.x; i < points; i += gridDim.x * THREADS) {
        const double2 value = own[i], weighed = weights[i] * value;
        power = fma(weighed.x, value.x, fma(weighed.y, value.y, power));
        own[i] = weighed;
    }
    power = sum(power);
    double* parts = power_sums + static_cast<size_t>(design) * r.power_parts;
    if (threadIdx.x == 0) parts[blockIdx.x] = power;
    if (last(arrived + 3 * design + 1, gridDim.x)) {
        power = total(parts, r.power_parts, 1);
        if (threadIdx.x == 0) totals[design].power = power;
    }
}

// h at the directions of a line, and its sums with e_k J_k. Grid: line, TOGETHER designs. Shared memory: as many h for each of them, and numbers of u,
// as the longest line has directions.
extern "C" __global__ /* hot */ void __launch_bounds__(THREADS)
    slopes_to_lines(const u32* moves, const double2* field, const double* logs, const u32* starts, const u32* place_of, const double* lower,
                    const double* shares, const double2* upper, const double* waves_u_turned, double2* far_lines, double* line_sums,
                    Totals* totals, u32* arrived, u32 longest, Reflectarray r) {
    extern __shared__ double2 slopes[];
    __shared__ double sums[TOGETHER][THREADS / 32][2];
    u32* places = reinterpret_cast<u32*>(slopes + TOGETHER * longest);
    const Group group(moves, r);
    if (!group.moves) return;
    const u32 line = blockIdx.x, first = starts[line], count = starts[line + 1] - first;
    for (u32 i = threadIdx.x; i < count; i += THREADS) places[i] = place_of[first + i];
#pragma unroll
    for (u32 t = 0; t < TOGETHER; t++) {
        const u32 design = group.design(t);
        const double smallest = totals[design].smallest, all = totals[design].all, to_directivity = log(2.0 / totals[design].power);
        double quiet = 0.0, by_log = 0.0;
        for (u32 i = threadIdx.x; i < count; i += THREADS) {
            const u32 d = first + i;
            const size_t at = static_cast<size_t>(design) * r.directions + d;
            const double log_level = logs[at], over = fmax(log_level + to_directivity - upper[d].x, 0.0);
            const double margin = r.sharpness * (log_level - lower[d] - smallest);
            const double part = margin < INFINITE ? exp(-margin) / all : 0.0;
            const double slope = 2.0 * upper[d].y * over - r.mean * shares[d] - (1.0 - r.mean) * part;
            quiet = fma(upper[d].y * over, over, quiet);
            by_log += slope;
            const double2 f = field[at];
            slopes[t * longest + i] = slope / norm_squared(f) * f;
        }
        quiet = warp_sum(quiet), by_log = warp_sum(by_log);
        if (threadIdx.x % 32 == 0) sums[t][threadIdx.x / 32][0] = quiet, sums[t][threadIdx.x / 32][1] = by_log;
    }
    __syncthreads();
    if (threadIdx.x < 2 * TOGETHER) {
        const u32 t = threadIdx.x / 2, which = threadIdx.x % 2;
        double sum = 0.0;
        for (u32 warp = 0; warp < THREADS / 32; warp++) sum += sums[t][warp][which];
        line_sums[(static_cast<size_t>(group.design(t)) * r.lines + line) * 2 + which] = sum;
    }
    products<TOGETHER>(slopes, longest, count, waves_u_turned, r.terms_x, [&](u32 i) { return places[i]; },
                       [&](u32 t, u32 k, double2 sum) {
                           if (t == 0 || group.design(t) != group.design(t - 1)) {
                               far_lines[(static_cast<size_t>(group.design(t)) * r.lines + line) * r.terms_x + k] = sum;
                           }
                       });
    if (!last(arrived + 3 * blockIdx.y + 2, gridDim.x)) return;
    for (u32 t = 0; t < TOGETHER; t++) {
        const double* parts = line_sums + static_cast<size_t>(group.design(t)) * r.lines * 2;
        double both[2] = {};
        for (u32 i = threadIdx.x; i < r.lines; i += THREADS) both[0] += parts[2 * i], both[1] += parts[2 * i + 1];
        sums_of_block(both);
        if (threadIdx.x == 0) totals[group.design(t)].quiet = both[0], totals[group.design(t)].by_log = both[1];
    }
}

// Moments k of the slopes, and what they are at the rows. Grid: k, design.
extern "C" __global__ /* hot */ void __launch_bounds__(MOST)
    far_to_lines(const u32* moves, const double2* far_lines, const double* waves_v_turned, const double* over, double2* lines, Reflectarray r) {
    extern __shared__ double2 column[];
    const u32 design = blockIdx.y, k = blockIdx.x;
    if (!moves[design]) return;
    double2* moments = column + r.lines;
    for (u32 line = threadIdx.x; line < r.lines; line += blockDim.x) {
        column[line] = far_lines[(static_cast<size_t>(design) * r.lines + line) * r.terms_x + k];
    }
    __syncthreads();
    product(column, r.lines, waves_v_turned, r.terms_y, Same(), [&](u32 l, double2 sum) { moments[l] = quarter(sum, 3 * (k + l)); });
    double2* to = lines + static_cast<size_t>(design) * r.rows * r.terms_x + k;
    product(moments, r.terms_y, over, r.rows, Same(), [&](u32 y, double2 sum) { to[static_cast<size_t>(y) * r.terms_x] = sum; });
}

// The gradient by the phases of a row; the first row has the value and the score, too. Grid: row, design.
extern "C" __global__ /* hot */ void __launch_bounds__(MOST / 2)
    gradient_of_row(const u32* moves, const double2* lines, const double* up, const double2* carrier, const double2* grid, const double2* radiated,
                    const Totals* totals, double* by_phase, double* values, double* scores,
                    double inside, Reflectarray r) {
    extern __shared__ double2 row[];
    const u32 design = blockIdx.y, y = blockIdx.x;
    if (!moves[design]) return;
    const Totals& t = totals[design];
    const double by_power = -t.by_log / t.power;
    for (u32 k = threadIdx.x; k < r.terms_x; k += blockDim.x) row[k] = lines[(static_cast<size_t>(design) * r.rows + y) * r.terms_x + k];
    __syncthreads();
    const size_t first = (static_cast<size_t>(design) * r.tall + y) * r.wide;
    double* to = by_phase + (static_cast<size_t>(design) * r.rows + y) * r.columns;
    product(row, r.terms_x, up, r.columns, Same(), [&](u32 x, double2 sum) {
        const double2 a = grid[first + x];
        const double2 b = times(sum, conjugate(carrier[y * r.columns + x])) + by_power * radiated[first + x];
        const double by = 2.0 * r.weight * (b.y * a.x - b.x * a.y);
        to[x] = r.added ? to[x] + by : by;
    });
    if (y != 0 || threadIdx.x != 0) return;
    values[design] = r.weight * worth(t, inside, r) + (r.added ? values[design] : 0.0);
    if (r.added) return;
    scores[2 * design] = t.inside / inside + log(2.0 / t.power);
    scores[2 * design + 1] = t.darkest + log(2.0 / t.power);
}

// The gradient by a coefficient. Grid: coefficient, design.
extern "C" __global__ /* hot */ void __launch_bounds__(THREADS)
    collect(const u32* moves, const double* by_phase, const double* zernike, double* gradient, Reflectarray r) {
    const u32 design = blockIdx.y, i = blockIdx.x, elements = r.columns * r.rows;
    if (!moves[design]) return;
    double mine = 0.0;
    for (u32 n = threadIdx.x; n < elements; n += THREADS) {
        mine = fma(by_phase[static_cast<size_t>(design) * elements + n], zernike[static_cast<size_t>(i) * elements + n], mine);
    }
    mine = sum(mine);
    if (threadIdx.x == 0) gradient[design * r.zernike + i] = mine;
}
