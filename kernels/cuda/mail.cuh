// New rows of bits from the host to all blocks of a launch, which may wait for them before they are sent.
//
// | array | layout |
// |---|---|
// | mail | [row][parcel] in mapped host memory: a parcel is 12 bytes of the row, as sent, and a tag |
// | inbox | [row][parcel][unit] in device memory: a unit is 4 of the 12 bytes, the first lowest, and above them the tag |
//
// A tag is the number of its iteration, in 31 bits. The host writes a parcel's tag behind its bytes; parcels of the mail are read
// at once, units of the inbox read and written. All of a hop's are new in every iteration, so that a reader waits for its own tag
// and nothing else need be said or ordered. One way over the bus is enough.
//
// Bit 31 of a tag says that the iteration is called off: it makes no bins. All its parcels are the same notice:
//
// | unit | says |
// |---|---|
// | 0 | how many rows it skips: it takes them into the rings and does nothing else with them; 0: the stream stays where it was |
// | 1 | their tag: the number of skips so far, for the next skip may be far away, and may be short |
// | 2 | in which row of mail and inbox they begin, behind all that a hop can have: no tag of one kind lies where the other is read |
//
// A few blocks read the mail for all: host memory that many look at is slow to write.
#pragma once

#include "abi/front_end.h"
#include "parcel.cuh"

#define FETCHERS 2      // first blocks of a launch that takes rows: they only fetch them
#define PARCEL_BYTES 12
#define PARCEL_UNITS 3

const u32 CALLED_OFF = 0x80000000u;

inline bool is_of(u32 tag, u32 iteration) { return (tag & ~CALLED_OFF) == (iteration & ~CALLED_OFF); }

inline u32 row_parcels(const FrontEnd& f) { return (f.row_bytes + PARCEL_BYTES - 1) / PARCEL_BYTES; }

// What an iteration that is called off takes all the same.
struct Skipped {
    u32 rows;
    u32 tag;
    size_t first;  // parcel of mail and inbox
};

// A unit of the notice, when it is here.
inline u64 notice(const u64* inbox, int unit, u32 iteration) {
    const volatile u64* place = inbox + unit;
    u64 value;
    do {
        value = *place;
    } while (!is_of(static_cast<u32>(value >> 32), iteration));
    return value;
}

// Of an iteration that is called off.
inline Skipped skipped_of(const FrontEnd& f, const u64* inbox, u32 iteration) {
    u32 rows = static_cast<u32>(notice(inbox, 0, iteration)), tag = static_cast<u32>(notice(inbox, 1, iteration));
    u32 first = static_cast<u32>(notice(inbox, 2, iteration));
    return {rows, tag, static_cast<size_t>(first) * row_parcels(f)};
}

// A part of some parcels from host memory to the inbox by one of FETCHERS blocks of THREADS threads, which take warps of parcels
// in turn: a warp asks the bus for whole lines. Whether a parcel of this thread was called off.
inline bool fetch_parcels(u32 parcels, u32 part, const Parcel* mail, u64* inbox, u32 tag) {
    u32 first = 32 * (threadIdx.x / 32 * FETCHERS + part) + threadIdx.x % 32;
    bool called_off = false;
#pragma unroll 1
    for (u32 i = first; i < parcels; i += FETCHERS * THREADS) {
        Parcel p;
        do {
            p = load_parcel(mail + i);
        } while (!is_of(p.tag, tag));
        volatile u64* units = inbox + static_cast<size_t>(PARCEL_UNITS) * i;
#pragma unroll
        for (int j = 0; j < PARCEL_UNITS; j++) units[j] = static_cast<u64>(p.tag) << 32 | p.bytes[j];
        called_off = p.tag & CALLED_OFF;
    }
    return called_off;
}

// The rows of an iteration, and then those that it skips.
inline void fetch(const FrontEnd& f, u32 part, const Parcel* mail, u64* inbox, u32 iteration) {
    u32 parcels = f.rows * row_parcels(f);
    bool called_off = fetch_parcels(parcels, part, mail, inbox, iteration);
    // A block that has no parcel of a short hop learns it from the others.
    if (32 * part >= parcels) called_off = notice(inbox, 0, iteration) >> 63;
    if (!__syncthreads_or(called_off)) return;
    Skipped skipped = skipped_of(f, inbox, iteration);
    fetch_parcels(skipped.rows * row_parcels(f), part, mail + skipped.first, inbox + PARCEL_UNITS * skipped.first, skipped.tag);
}

// A byte of a row, and the tag from bit 32 on: when it is here, or in a rehearsal whatever is there. The blocks that fetch are
// scheduled first and wait for nobody but the host.
inline u64 byte_of_row(const FrontEnd& f, const u64* inbox, int column, int row, u32 iteration, bool rehearsal) {
    const volatile u64* unit = inbox + static_cast<size_t>(PARCEL_UNITS * row_parcels(f)) * row + column / 4;
    u64 value;
    do {
        value = *unit;
    } while (!rehearsal && !is_of(static_cast<u32>(value >> 32), iteration));
    return value >> 32 << 32 | (value >> 8 * (column % 4) & 255);
}
