// What the staged holography kernels are told.
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

// Sample n of line i of hologram h lies at first + h hologram + i line + n sample.
struct Strides {
    u64 first;     // place of the first sample
    u64 hologram;  // step from one hologram to the next
    u64 line;      // step from one line to the next
    u64 sample;    // step from one sample to the next
};

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

// Lines to be transformed.
struct Dft {
    Strides input;   // of the values to be transformed
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
