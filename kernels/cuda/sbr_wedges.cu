// What edges radiate: pipeline/sbr/src/wedge/mod.rs on the card. A warp takes 32 pieces of edges in the light of one direction; their sums are whole numbers of a quantum, as those of tubes.

#include "sbr.cuh"
#include "sbr_fringe.cuh"

constexpr u32 WARPS = 4, FULL = 0xffffffff;
// As in wedge/mod.rs.
constexpr double LEAST_SINE = 1e-3, ALONG = 1e-12;

// A far point and its polarisations.
struct Far {
    Vec sight, polarisations[2];

    inline bool is(const Far& other) const {
        const auto same = [](Vec a, Vec b) { return dot(a - b, a - b) < 1e-20; };
        return same(sight, other.sight) && same(polarisations[0], other.polarisations[0]) && same(polarisations[1], other.polarisations[1]);
    }
};

inline Far transmitter(const SbrLaunch& launch) {
    const auto field = [&](const double (&along)[2]) { return vec(launch.u) * along[0] + vec(launch.v) * along[1]; };
    return {vec(launch.sight), {field(launch.fields[0]), field(launch.fields[1])}};
}

inline Far far(const SbrReceiver& receiver) { return {vec(receiver.sight), {vec(receiver.polarisations[0]), vec(receiver.polarisations[1])}}; }

// Of a direction from a face, over the outer side.
inline double azimuth(const SbrFace& face, Vec direction) {
    const double angle = atan2(dot(direction, vec(face.y)), dot(direction, vec(face.x)));
    return angle < -ALONG ? angle + 2.0 * PI : fmax(angle, 0.0);
}

// Which lanes' pieces see a far point, with nothing in between.
inline bool is_clear(const Target& target, const SbrEdge& edge, bool alive, Vec direction, Waiting& waiting) {
    alive = alive && azimuth(edge.faces[0], direction) < edge.n * PI + ALONG;
    if (!__any_sync(FULL, alive)) return false;
    // All lanes walk.
    const Hit hit = nearest(target, vec(edge.start), direction, NO_FACET, 0.0, alive, waiting);
    return alive && hit.facet == NO_FACET;
}

// What the fringe currents of a wave radiate: receiver's polarisation first, then the transmitter's. `k`: rad/m.
inline void one_way(double2 (&sum)[2][2], const SbrEdge& edge, const double* series, double k, const Far& from, const Far& to) {
    for (u32 i = 0; i < 4; i++) sum[i / 2][i % 2] = make_double2(0.0, 0.0);
    for (u32 i = 0; i < 2; i++) {
        const SbrFace& face = edge.faces[i];
        const Vec x = vec(face.x), z = cross(x, vec(face.y));
        const double cosine = -dot(from.sight, z), sine = sqrt(fmax(1.0 - cosine * cosine, 0.0));
        if (sine < LEAST_SINE) continue;
        const double mu = dot(to.sight, x) / sine, kappa = k * sine, kz = k * cosine;
        const Strip found = strip(series, edge.n, azimuth(face, from.sight), mu, face.reach < 0.0 ? -1.0 : kappa * face.reach);
        for (u32 q = 0; q < 2; q++) {
            // eta H = k_i x E, and k_i = -s_i.
            const double e0 = dot(from.polarisations[q], z), h0 = -dot(cross(from.sight, from.polarisations[q]), z);
            const double2 across = (h0 / kappa) * found.b;
            const double2 along = times(make_double2(0.0, -k / (kappa * kappa) * e0), found.a) + (mu * kz / kappa) * across -
                                  times(make_double2(0.0, kz / (kappa * kappa) * h0), found.tip);
            for (u32 p = 0; p < 2; p++) sum[p][q] = sum[p][q] + dot(to.polarisations[p], x) * across + dot(to.polarisations[p], z) * along;
        }
    }
}

extern "C" __global__ void __launch_bounds__(32 * WARPS, 3)
    sbr_wedges(const SbrLaunch* launches, const SbrEdge* edges, const double* series, const float4* nodes, const double* corners, const double* normals, const u32* numbers,
               const SbrReceiver* receivers, const double* waves, i64* sums, const u32 count, const Sbr s) {
    __shared__ Waiting waiting[WARPS];
    const Target target = {nodes, corners, normals, numbers};
    const u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const u64 groups = (count + 31) / 32, all = groups * s.launches;
    for (u64 item = static_cast<u64>(blockIdx.x) * WARPS + warp; item < all; item += static_cast<u64>(gridDim.x) * WARPS) {
        const SbrLaunch& launch = launches[item / groups];
        const u64 number = item % groups * 32 + lane;
        const SbrEdge& edge = edges[number < count ? number : 0];
        const Far from = transmitter(launch);
        const bool lit = is_clear(target, edge, number < count, from.sight, waiting[warp]);
        if (!__any_sync(FULL, lit)) continue;
        for (u32 r = 0; r < s.receivers; r++) {
            const Far to = far(receivers[launch.direction + r]);
            const bool back = to.is(from), seen = back ? lit : is_clear(target, edge, lit, to.sight, waiting[warp]);
            if (!__any_sync(FULL, seen)) continue;
            const Vec both = from.sight + to.sight, whole = vec(edge.edge);
            const double length = sqrt(dot(whole, whole)), along = dot(both, whole), path = -dot(both, vec(edge.middle));
            i64* sum_of = sums + static_cast<u64>(launch.direction + r) * s.frequencies * ENTRIES;
            for (u32 f = 0; f < s.frequencies; f++) {
                double2 there[2][2], again[2][2];
                double2 wave = make_double2(0.0, 0.0);
                if (seen) {
                    const double k = 2.0 * PI * waves[f];
                    one_way(there, edge, series, k, from, to);
                    if (!back) one_way(again, edge, series, k, to, from);
                    // Half, for the mean of both ways.
                    wave = (0.5 * length * sinc(0.5 * k * along) / launch.quantum) * turned(waves[f] * path);
                }
#pragma unroll
                for (u32 i = 0; i < 4; i++) {
                    const u32 p = i / 2, q = i % 2;
                    const double2 own = seen ? times(wave, there[p][q] + (back ? there[q][p] : again[q][p])) : wave;
                    const i64 re = sum(__double2ll_rn(own.x)), im = sum(__double2ll_rn(own.y));
                    if (lane == 0) add(sum_of + 2 * i * s.frequencies + f, re), add(sum_of + (2 * i + 1) * s.frequencies + f, im);
                }
            }
        }
    }
}
