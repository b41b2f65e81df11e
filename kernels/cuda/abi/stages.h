// What the staged holography kernels are told; kernels/src/abi/stages.rs is the same in Rust.
#pragma once

#include "abi/layout.h"

// Sizes of a batch of holograms.
struct Shape {
    u32 count;      // holograms
    u32 rows;       // microphones down a column
    u32 cols;       // microphones along a row
    u32 grid_rows;  // rows of the padded grid
    u32 grid_cols;  // columns of the padded grid
};

NEARFIELD_SIZE(Shape, 20);
NEARFIELD_FIELD(Shape, count, 0);
NEARFIELD_FIELD(Shape, rows, 4);
NEARFIELD_FIELD(Shape, cols, 8);
NEARFIELD_FIELD(Shape, grid_rows, 12);
NEARFIELD_FIELD(Shape, grid_cols, 16);

// Sample n of line i of hologram h lies at first + h hologram + i line + n sample.
struct Strides {
    u64 first;
    u64 hologram;
    u64 line;
    u64 sample;
};

NEARFIELD_SIZE(Strides, 32);
NEARFIELD_FIELD(Strides, first, 0);
NEARFIELD_FIELD(Strides, hologram, 8);
NEARFIELD_FIELD(Strides, line, 16);
NEARFIELD_FIELD(Strides, sample, 24);

// Lines to be continued at both ends.
struct Lines {
    Strides input;   // measured samples
    Strides output;  // all samples
    u32 count;       // holograms
    u32 lines;       // lines of a hologram
    u32 before;      // samples added before
    u32 measured;    // samples measured
    u32 total;       // samples in all
    u32 order;       // of the linear prediction
};

NEARFIELD_SIZE(Lines, 88);
NEARFIELD_FIELD(Lines, input, 0);
NEARFIELD_FIELD(Lines, output, 32);
NEARFIELD_FIELD(Lines, count, 64);
NEARFIELD_FIELD(Lines, lines, 68);
NEARFIELD_FIELD(Lines, before, 72);
NEARFIELD_FIELD(Lines, measured, 76);
NEARFIELD_FIELD(Lines, total, 80);
NEARFIELD_FIELD(Lines, order, 84);

// Lines to be transformed.
struct Dft {
    Strides input;
    Strides output;  // of the kept values only
    u32 count;       // holograms
    u32 lines;       // lines of a hologram
    u32 length;      // N
    u32 refinement;  // u: the table of twiddles has N u entries
    u32 table;       // its first entry
    u32 from;        // first input that is not zero
    u32 terms;       // inputs from there that are not zero
    u32 first;       // first output that is kept
    u32 kept;        // outputs that are kept
    u32 reserved;    // 0
};

NEARFIELD_SIZE(Dft, 104);
NEARFIELD_FIELD(Dft, input, 0);
NEARFIELD_FIELD(Dft, output, 32);
NEARFIELD_FIELD(Dft, count, 64);
NEARFIELD_FIELD(Dft, lines, 68);
NEARFIELD_FIELD(Dft, length, 72);
NEARFIELD_FIELD(Dft, refinement, 76);
NEARFIELD_FIELD(Dft, table, 80);
NEARFIELD_FIELD(Dft, from, 84);
NEARFIELD_FIELD(Dft, terms, 88);
NEARFIELD_FIELD(Dft, first, 92);
NEARFIELD_FIELD(Dft, kept, 96);
NEARFIELD_FIELD(Dft, reserved, 100);
