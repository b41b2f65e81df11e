// What a warp of nufft_plane.cu makes of a bin's points in single precision: an outer product of two windows for each point, summed in registers.
// Windows lie in lines of REGION numbers, with zeros before and behind them, so that a lane reads its columns at once.
#pragma once

constexpr int COLUMNS = columns_for(WIDTH);  // lanes that have a column of a window each
constexpr int GROUPS = 32 / COLUMNS;
constexpr int CHUNK = 16;  // points whose windows a warp makes together
constexpr int PLACES = 4;  // windows that a lane makes at a time: those of two points

struct Windows {
    alignas(16) float along_x[CHUNK][2 * REGION];  // times the strength: real and imaginary parts in turn
    alignas(16) float along_y[CHUNK][REGION];
};

constexpr int TABLE = 1;

// The polynomial of one column of the window.
struct Polynomial {
    float a[DEGREE + 1];

    inline Polynomial(const float* polynomials, float*) {
        int column = threadIdx.x % COLUMNS;
#pragma unroll
        for (int i = 0; i <= DEGREE; i++) a[i] = column < WIDTH ? polynomials[i * WIDTH + column] : 0;
    }

    // At several places.
    inline void operator()(const float (&s)[PLACES], float (&sums)[PLACES]) const {
        for (int k = 0; k < PLACES; k++) sums[k] = a[0];
#pragma unroll
        for (int i = 1; i <= DEGREE; i++) {
            for (int k = 0; k < PLACES; k++) sums[k] = sums[k] * s[k] + a[i];
        }
    }
};

// Where a window's column lies in its line, round the end.
inline int place_in(int start, int column) {
    int place = start + column;
    return place >= REGION ? place - REGION : place;
}

// Windows of points `first` and on of a piece, by one warp.
inline void prepare(Windows& to, const Loaded& from, const Polynomial& polynomial, int first, int points) {
    int lane = threadIdx.x % 32, column = lane % COLUMNS;
#pragma unroll 1
    for (int begin = lane / COLUMNS; begin < points; begin += PLACES / 2 * GROUPS) {
        float s[PLACES], w[PLACES];
#pragma unroll
        for (int k = 0; k < PLACES; k++) s[k] = from.point[first + min(begin + k / 2 * GROUPS, points - 1)].fraction[k % 2];
        polynomial(s, w);
#pragma unroll
        for (int k = 0; k < PLACES / 2; k++) {
            int i = begin + k * GROUPS;
            if (i >= points) continue;
            u32 cell = from.point[first + i].cell;
            int x = cell % 8, y = cell / 8 % 8;
            float2 *line_x = reinterpret_cast<float2*>(to.along_x[i]), c = from.strength[first + i];
            if (column < REGION) {
                line_x[place_in(x, column)] = w[2 * k] * c;
                to.along_y[i][place_in(y, column)] = w[2 * k + 1];
            }
            if (column < REGION - COLUMNS) {
                line_x[place_in(x, column + COLUMNS)] = make_float2(0, 0);
                to.along_y[i][place_in(y, column + COLUMNS)] = 0;
            }
        }
    }
    __syncwarp();
}

// Row and first column of this lane's cells within 8 rows; its columns are STRIDE apart.
constexpr int STRIDE = 1;
inline int own_row() { return threadIdx.x % 32 / 4; }
inline int own_column() { return threadIdx.x % 4 * CELLS; }

// The rows of the products from eighth `begin` on.
template <int COUNT>
inline void add_points(float2 (&sums)[COUNT][CELLS], const Windows& from, const Loaded&, int, int points, int begin) {
    int row = own_row(), column = own_column();
#pragma unroll 2
    for (int i = 0; i < points; i++) {
        float4 x[CELLS / 2];
#pragma unroll
        for (int v = 0; v < CELLS / 2; v++) x[v] = reinterpret_cast<const float4*>(&from.along_x[i][2 * column])[v];
#pragma unroll
        for (int b = 0; b < COUNT; b++) {
            float y = from.along_y[i][8 * (begin + b) + row];
#pragma unroll
            for (int v = 0; v < CELLS / 2; v++) {
                float2 &even = sums[b][2 * v], &odd = sums[b][2 * v + 1];
                even = make_float2(fmaf(y, x[v].x, even.x), fmaf(y, x[v].y, even.y));
                odd = make_float2(fmaf(y, x[v].z, odd.x), fmaf(y, x[v].w, odd.y));
            }
        }
    }
}
