// What tubes radiate: pipeline/sbr/src/{po,sum}.rs on the card. Fields are those of perfect conductors; sbr_matter.cuh has others.
#pragma once

#include "complex.cuh"
#include "sbr_trace.cuh"

// Numbers of a scattering matrix: vv, vh, hv, hh, real and imaginary parts. Sums have one of them at all frequencies, then the next; all of a receiver, then the next one's.
constexpr u32 ENTRIES = 8;

// Numbers below 2^51 become whole numbers in the last bits of their sum with this: to round and to convert take as long as four sums each.
constexpr double ROUND = 6755399441055744.0, MOST_ROUNDED = 2251799813685248.0;

// Coefficients in the constant memory, from where products take them; numbers in the code would each be moved into registers first.
// Series of sin(pi r/2)/r and cos(pi r/2), to r^15 and r^16, which is to rounding, and of sin(x)/x to x^16/17!, behind which all is below rounding for x up to 1; the highest first.
__constant__ double SINE[8] = {-6.688035109811464e-10, 5.692172921967924e-08, -3.598843235212084e-06, 0.00016044118478735975,
                               -0.004681754135318687,  0.07969262624616703,   -0.6459640975062462,    1.5707963267948966};
__constant__ double COSINE[9] = {6.565963114979468e-11, -6.386603083791849e-09, 4.710874778818169e-07, -2.5202042373060596e-05, 0.0009192602748394263,
                                 -0.020863480763352957, 0.253669507901048,      -1.2337005501361697,   1.0};
__constant__ double SINC[9] = {1.0 / 355687428096000.0, -1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800.0, 1.0 / 362880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0, 1.0};

template <u32 COUNT>
inline double polynomial(const double (&coefficients)[COUNT], double x) {
    double sum = coefficients[0];
#pragma unroll
    for (u32 i = 1; i < COUNT; i++) sum = fma(sum, x, coefficients[i]);
    return sum;
}

// exp(-2 pi j x), of less than 2^49 turns
inline double2 turned(double x) {
    // Quarters of a turn, and what is left of one.
    const double sum = fma(4.0, x, ROUND), r = fma(4.0, x, ROUND - sum), y = r * r;
    const u32 quarter = __double2loint(sum);
    const double sine = r * polynomial(SINE, y), cosine = polynomial(COSINE, y);
    const auto turn = [](double x, u32 sign) { return __hiloint2double(__double2hiint(x) ^ ((sign & 2) << 30), __double2loint(x)); };
    const bool odd = quarter & 1;
    return make_double2(turn(odd ? sine : cosine, quarter + 1), turn(odd ? cosine : sine, quarter + 2));
}

inline double sinc(double x) { return fabs(x) > 1.0 ? -turned(x * 0.15915494309189533577).y / x : polynomial(SINC, x * x); }

// A tube that leaves, as a receiver sees it; frequency comes in later.
struct Tube {
    double pattern[4]; // times the area, m^2
    double path;       // less the way to the receiver, m
    double u, v;       // pi (s - k_r) . U and V: half the phase across, times wavelength

    // How far paths across it go from that in its middle, m.
    inline double half() const { return (fabs(u) + fabs(v)) * 0.15915494309189533577; }
};

// The vector g of n.[ (k_r x E) x p + (s x p) x E ] = g . E, as in po.rs.
inline Vec pattern(Vec direction, Vec normal, Vec sight, Vec p) { return cross(cross(p, normal), direction) + cross(normal, cross(sight, p)); }

// A tube of sides so many times the grid's.
inline Tube tube(Vec place, Vec direction, Vec normal, Vec u, Vec v, Vec field_v, Vec field_h, double path, const SbrReceiver& receiver, double wide,
                 double tall) {
    Tube tube;
    const Vec sight = vec(receiver.sight);
    const Vec side = cross(u, v);
    const double area = sqrt(dot(side, side)) * wide * tall;
#pragma unroll
    for (u32 i = 0; i < 2; i++) {
        const Vec g = pattern(direction, normal, sight, vec(receiver.polarisations[i]));
        tube.pattern[2 * i] = area * dot(g, field_v), tube.pattern[2 * i + 1] = area * dot(g, field_h);
    }
    tube.path = path - dot(sight, place);
    const Vec slope = (sight - direction) * 3.14159265358979323846;
    tube.u = dot(slope, u) * wide, tube.v = dot(slope, v) * tall;
    return tube;
}

// The integral over a parallelogram at so many wavelengths a metre, over its area, with a path of so many metres.
inline double2 footprint(const Tube& tube, double path, double waves) { return sinc(waves * tube.u) * sinc(waves * tube.v) * turned(waves * path); }

// A whole number of quanta: sums of them are the same in any order.
inline i64 quanta(double value, double inverse) { return __double2ll_rn(value * inverse); }

inline void add(i64* sum, i64 value) { atomicAdd(reinterpret_cast<u64*>(sum), static_cast<u64>(value)); }

// Of a warp.
inline i64 sum(i64 x) {
    for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffff, x, step);
    return x;
}

// Incident fields through all reflections: sides of the tube, mirrored, carry them.
inline Vec field(const Exit& exit, const double (&along)[2]) {
    const Vec field = exit.mirrored_u * along[0] + exit.mirrored_v * along[1];
    return exit.bounces % 2 == 1 ? -field : field;
}

// Counters that kernels share: those of all that was done, and of lists. Every level of quarterings has lists of its own, see sbr_cells.cu.
enum Counter { ITEM, CELLS_0, CELLS_1, CELLS_2, CELLS_3, PARTS, RAYS, SEGMENTS, TUBES_DONE, CUT_TUBES, SPLIT, LISTED, DROPPED, AT_WORK };

// Adds what all lanes of a warp counted.
inline void tally(u64* counters, Counter which, u32 own) {
    const u32 all = __reduce_add_sync(0xffffffff, own);
    if (threadIdx.x % 32 == 0 && all > 0) atomicAdd(counters + which, static_cast<u64>(all));
}
