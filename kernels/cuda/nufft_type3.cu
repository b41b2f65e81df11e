// Phases of a NUFFT of type 3, before its spreading and behind its interpolation, which are those of nufft.cu. Launched by
// kernels/src/nufft/type_3.rs; twin of pipeline/nufft/src/cpu/type_3.rs.
//
// | array | layout |
// |---|---|
// | from, values | [right-hand side][value] |
// | phases | [value] |
// | to | [value] |
//
// Roof: device memory, 3 values read and written for each.

#include "nufft.cuh"

inline pair turned(pair value, pair phase, u32 conjugated) { return times(value, conjugated ? conjugate(phase) : phase); }

// One right-hand side to memory of its own.
extern "C" __global__ /* hot */ void __launch_bounds__(256)
    turn(const pair* from, const pair* phases, pair* to, u32 count, u32 batch, u32 conjugated) {
    from += static_cast<size_t>(batch) * count;
    for (u32 i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256) to[i] = turned(from[i], phases[i], conjugated);
}

// One right-hand side where it is.
extern "C" __global__ /* hot */ void __launch_bounds__(256)
    turn_in_place(pair* values, const pair* phases, u32 count, u32 batch, u32 conjugated) {
    values += static_cast<size_t>(batch) * count;
    for (u32 i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256) values[i] = turned(values[i], phases[i], conjugated);
}
