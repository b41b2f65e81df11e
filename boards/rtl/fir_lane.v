// dsp-core's FIR (93 symmetric taps by 4) for the CHANNELS channels of a lane: one multiplier, one pair of samples a clock.
//
// y = (2^10 + sum_m h[m] (x[n - m] + x[n - 92 + m])) >> 11, exact up to this one rounding, as dsp_core::decimator defines it.
// Taps above 18 bits are given as two or three steps (fir_tables.vh), so that the multiplier is 18 by 18.
//
// The last 96 CIC samples of each channel lie in a memory with two ports, slot by slot. Addresses, taps and flags come from
// decimator_control and are the same for all lanes; each lane has its own registers behind them, since they come from far.
//
// | port     | meaning |
// |----------|---------|
// | store    | `sample` is written to `near`; no pair is read in this clock, so two ports are enough |
// | near, far| addresses of the pair |
// | near_ok, far_ok | the sample exists (else 0: the idle history, or the middle tap's missing partner), one clock late |
// | tap      | 18-bit signed, two clocks late |
// | first, last, busy | first and last pair of an output; a pair at all; two clocks late |
// | result   | the sample, from eight clocks after its last pair to the next one |
// | finished | one clock: `result` is new |
module fir_lane #(
    parameter CHANNEL_BITS = 5
) (
    input  wire                    clock,
    input  wire                    store,
    input  wire signed [15:0]      sample,
    input  wire [CHANNEL_BITS+6:0] near,
    input  wire [CHANNEL_BITS+6:0] far,
    input  wire                    near_ok,
    input  wire                    far_ok,
    input  wire signed [17:0]      tap,
    input  wire                    first,
    input  wire                    last,
    input  wire                    busy,
    output reg  signed [24:0]      result,
    output reg                     finished
);
    `include "fir_tables.vh"
    localparam ACC_BITS = 36;

    reg signed [15:0] history [0:(FIR_SLOTS << CHANNEL_BITS)-1];
    reg store_here, near_ok_here, far_ok_here, first_here, last_here, busy_here;
    reg signed [15:0] sample_here;
    reg [CHANNEL_BITS+6:0] near_here, far_here;
    reg signed [17:0] tap_here;
    reg signed [15:0] near_read, far_read, near_sample, far_sample;
    reg signed [16:0] pair;
    reg signed [17:0] pair_tap;
    reg signed [34:0] product;
    reg signed [ACC_BITS-1:0] sum;
    reg pair_first, pair_last, pair_busy, product_first, product_last, product_busy, sum_done;

    wire signed [ACC_BITS-1:0] half = 1 << (FIR_SHIFT - 1);

    always @(posedge clock) begin
        {store_here, sample_here, near_here, far_here} <= {store, sample, near, far};
        {near_ok_here, far_ok_here, tap_here} <= {near_ok, far_ok, tap};
        {first_here, last_here, busy_here} <= {first, last, busy};
    end

    always @(posedge clock) begin
        if (store_here) history[near_here] <= sample_here;
        else begin
            near_read <= history[near_here];
            far_read <= history[far_here];
        end
    end

    always @(posedge clock) begin
        near_sample <= near_ok_here ? near_read : 16'sd0;
        far_sample <= far_ok_here ? far_read : 16'sd0;
        pair <= near_sample + far_sample;
        pair_tap <= tap_here;
        {pair_first, pair_last, pair_busy} <= {first_here, last_here, busy_here};
        product <= pair * pair_tap;
        {product_first, product_last, product_busy} <= {pair_first, pair_last, pair_busy};
        if (product_busy) sum <= (product_first ? half : sum) + product;
        sum_done <= product_busy && product_last;
    end

    always @(posedge clock) begin
        if (sum_done) result <= sum[FIR_SHIFT +: 25];
        finished <= sum_done;
    end
endmodule
