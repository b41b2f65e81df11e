// What a warp of nufft_plane.cu makes of a bin's points in double precision: the matrix unit multiplies the windows of four points at a time. Rows of
// the product are those of the grid, columns its numbers, real and imaginary parts in turn.
//
// Windows are even: a polynomial gives the values of a column and of its mirror image, from its even and its odd part.
#pragma once

constexpr int HALF = (WIDTH + 1) / 2;                               // columns of a window, without mirror images
constexpr int COLUMNS = HALF <= 4 ? 4 : HALF <= 8 ? 8 : 16;         // lanes that have one of them each
constexpr int GROUPS = 32 / COLUMNS;
constexpr int CHUNK = 8;                                            // points whose windows a warp makes together
// Four points' numbers lie in different banks.
constexpr int PITCH_X = WIDTH <= 10 ? 20 : WIDTH <= 14 ? 28 : 36, PITCH_Y = 20;

struct Windows {
    alignas(16) double along_x[CHUNK][PITCH_X];  // times the strength: real and imaginary parts in turn
    alignas(16) double along_y[CHUNK][PITCH_Y];
};

constexpr int TERMS = (DEGREE + 1) | 1;
constexpr int TABLE = COLUMNS * TERMS;
static_assert(DEGREE >= 1, "an even and an odd part");

// The polynomial of one column of the window, in shared memory: registers have no room for it.
struct Polynomial {
    const double* a;

    // By all threads of the block; a barrier makes it everybody's.
    inline Polynomial(const double* polynomials, double* table) : a(table + threadIdx.x % COLUMNS * TERMS) {
        for (int i = threadIdx.x; i < COLUMNS * (DEGREE + 1); i += blockDim.x) {
            int column = i % COLUMNS, power = i / COLUMNS;
            table[column * TERMS + power] = column < HALF ? polynomials[power * WIDTH + column] : 0;
        }
    }

    // At two places: of this column, and of its mirror image.
    inline void operator()(const double (&s)[2], double (&here)[2], double (&there)[2]) const {
        double square[2], one[2], other[2];
        // Read again each time: there is no room to keep it.
        asm volatile("" ::: "memory");
#pragma unroll
        for (int k = 0; k < 2; k++) {
            square[k] = s[k] * s[k];
            one[k] = a[0];
            other[k] = a[1];
        }
#pragma unroll
        for (int i = 2; i <= DEGREE; i += 2) {
#pragma unroll
            for (int k = 0; k < 2; k++) {
                one[k] = one[k] * square[k] + a[i];
                if (i < DEGREE) other[k] = other[k] * square[k] + a[i + 1];
            }
        }
#pragma unroll
        for (int k = 0; k < 2; k++) {
            double even = DEGREE % 2 ? other[k] : one[k], odd = s[k] * (DEGREE % 2 ? one[k] : other[k]);
            here[k] = even + odd;
            there[k] = even - odd;
        }
    }
};

// Windows of points `first` and on of a piece, by one warp, along x and y at a time.
inline void prepare(Windows& to, const Loaded& from, const Polynomial& polynomial, int first, int points) {
    int lane = threadIdx.x % 32, column = lane % COLUMNS, mirror = WIDTH - 1 - column;
#pragma unroll 1
    for (int i = lane / COLUMNS; i < points; i += GROUPS) {
        const Point& point = from.point[first + i];
        double s[2] = {point.fraction[0], point.fraction[1]}, here[2], there[2];
        polynomial(s, here, there);
        if (column >= HALF) continue;
        double2 *line_x = reinterpret_cast<double2*>(to.along_x[i]), c = from.strength[first + i];
        // That in the middle is its own.
        line_x[mirror] = there[0] * c;
        to.along_y[i][mirror] = there[1];
        line_x[column] = here[0] * c;
        to.along_y[i][column] = here[1];
    }
    __syncwarp();
}

// Row and first column of this lane's cells within 8 rows; its columns are STRIDE apart.
constexpr int STRIDE = 4;
inline int own_row() { return threadIdx.x % 32 / 4; }
inline int own_column() { return threadIdx.x % 4; }

// C += A B with A of 8 x 4 and B of 4 x 8 numbers.
inline void multiply_add(double2& c, double a, double b) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(c.x), "+d"(c.y) : "d"(a), "d"(b));
}

// The rows of the products from eighth `begin` on. The points are those of `loaded` from number `first` on.
template <int COUNT>
inline void add_points(double2 (&sums)[COUNT][CELLS], const Windows& from, const Loaded& loaded, int first, int points, int begin) {
    int place = own_row(), lane = threadIdx.x % 4;
#pragma unroll 1
    for (int i = lane; i < lane + points; i += 4) {
        // Numbers before and behind a window are zeros, as are those of points that are not there.
        int x = -2 * REGION - 2 * WIDTH, y = x;
        if (i < points) {
            int cell = loaded.point[first + i].cell;
            x = place - 2 * (cell & 7);
            y = 8 * begin + place - (cell >> 3 & 7);
        }
        double along_y[COUNT];
#pragma unroll
        for (int b = 0; b < COUNT; b++) along_y[b] = static_cast<u32>(y + 8 * b) < WIDTH ? from.along_y[i][y + 8 * b] : 0;
#pragma unroll
        for (int f = 0; f < CELLS; f++) {
            double along_x = static_cast<u32>(x + 8 * f) < 2 * WIDTH ? from.along_x[i][x + 8 * f] : 0;
#pragma unroll
            for (int b = 0; b < COUNT; b++) multiply_add(sums[b][f], along_y[b], along_x);
        }
    }
}
