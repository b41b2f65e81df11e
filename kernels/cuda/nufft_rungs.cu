// Spreading and interpolation of a NUFFT as the paper has them: the readable rungs of nufft.cu and nufft_plane.cu. Launched by
// kernels/src/nufft/rungs.rs; arrays as in nufft.cu. Sums are atomic additions, whose order is another each time.

#include "nufft_polynomial.cuh"

constexpr int LINES = AXES == 1 ? 1 : AXES == 2 ? WIDTH : WIDTH * WIDTH;  // rows of a window

// The window's row and plane of line l, its factor, and its place in the grid, for the rungs.
struct Line {
    real factor;
    size_t place;  // of fine point 0
};

struct Start {
    u32 x, y, z;
};

inline Start start_of(const Point& point, const NufftGrid& g) {
    u32 bin = point.cell / BIN_CELLS, row = bin / g.bins[0];
    return {bin % g.bins[0] * BIN_X + point.cell % BIN_X, row % g.bins[1] * BIN_Y + point.cell / BIN_X % BIN_Y,
            row / g.bins[1] * BIN_Z + point.cell / (BIN_X * BIN_Y) % BIN_Z};
}

inline Line line_of(int l, const Start& start, const real (&w)[3][WIDTH], const NufftGrid& g) {
    int row = AXES > 1 ? l % WIDTH : 0, plane = l / WIDTH;
    real factor = 1;
    u32 y = 0, z = 0;
    if (AXES > 1) {
        y = (start.y + row) % g.n[1];
        factor *= w[1][row];
    }
    if (AXES > 2) {
        z = (start.z + plane) % g.n[2];
        factor *= w[2][plane];
    }
    return {factor, fine_place(0, y, z, g)};
}

inline void windows_of(real (&w)[3][WIDTH], const real* polynomials, const Point& point) {
    for (int a = 0; a < AXES; a++) {
        for (int t = 0; t < WIDTH; t++) w[a][t] = Polynomial(polynomials, t)(point.fraction[a]);
    }
}

inline void add_to(pair* cell, real factor, pair c) {
    atomicAdd(&cell->x, factor * c.x);
    atomicAdd(&cell->y, factor * c.y);
}

// A thread for each point; the grid is zero before. The paper's first variant.
extern "C" __global__ void __launch_bounds__(128)
    spread_by_points(const Point* points, const pair* strengths, const real* polynomials, pair* grid, NufftGrid g) {
    strengths += value_place(g);
    for (u32 i = blockIdx.x * 128 + threadIdx.x; i < g.points; i += gridDim.x * 128) {
        Point point = points[i];
        Start start = start_of(point, g);
        real w[3][WIDTH];
        windows_of(w, polynomials, point);
        pair c = strengths[point.index];
        for (int l = 0; l < LINES; l++) {
            Line line = line_of(l, start, w, g);
            for (int t = 0; t < WIDTH; t++) add_to(&grid[line.place + (start.x + t) % g.n[0]], line.factor * w[0][t], c);
        }
    }
}

// A block for each point, a thread for each of its fine points; the grid is zero before. The paper's nested variant starts such a grid of
// threads from every point's thread.
extern "C" __global__ void __launch_bounds__(128)
    spread_nested(const Point* points, const pair* strengths, const real* polynomials, pair* grid, NufftGrid g) {
    __shared__ real w[3][WIDTH];
    strengths += value_place(g);
    for (u32 i = blockIdx.x; i < g.points; i += gridDim.x) {
        Point point = points[i];
        Start start = start_of(point, g);
        for (int t = threadIdx.x; t < AXES * WIDTH; t += 128) {
            w[t / WIDTH][t % WIDTH] = Polynomial(polynomials, t % WIDTH)(point.fraction[t / WIDTH]);
        }
        __syncthreads();
        pair c = strengths[point.index];
        for (int t = threadIdx.x; t < LINES * WIDTH; t += 128) {
            Line line = line_of(t / WIDTH, start, w, g);
            add_to(&grid[line.place + (start.x + t % WIDTH) % g.n[0]], line.factor * w[0][t % WIDTH], c);
        }
        __syncthreads();
    }
}

// A thread for each point.
extern "C" __global__ void __launch_bounds__(128)
    interpolate_by_points(const Point* points, const pair* grid, const real* polynomials, pair* values, NufftGrid g) {
    values += value_place(g);
    for (u32 i = blockIdx.x * 128 + threadIdx.x; i < g.points; i += gridDim.x * 128) {
        Point point = points[i];
        Start start = start_of(point, g);
        real w[3][WIDTH];
        windows_of(w, polynomials, point);
        pair sum = make_pair(0, 0);
        for (int l = 0; l < LINES; l++) {
            Line line = line_of(l, start, w, g);
            for (int t = 0; t < WIDTH; t++) {
                sum = sum + (line.factor * w[0][t]) * grid[line.place + (start.x + t) % g.n[0]];
            }
        }
        values[point.index] = sum;
    }
}
