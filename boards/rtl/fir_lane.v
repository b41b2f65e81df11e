// dsp-core's FIR (93 symmetric taps by 4) for the CHANNELS channels of a lane: one multiplier, one pair of samples a clock.
//
// y = (2^10 + sum_m h[m] (x[n - m] + x[n - 92 + m])) >> 11, exact up to this one rounding, as dsp_core::decimator defines it.
// Taps above 18 bits are given as two or three steps (fir_tables.vh), so that the multiplier is 18 by 18.
//
// The last 96 CIC samples of each channel lie in memories with two ports, 32 slots each. Addresses, taps and flags come from
// decimator_control and are the same for all lanes; each lane has its own registers behind them (`*_here`), since they come from far.
//
// | port     | meaning |
// |----------|---------|
// | store    | `sample` is written to `near`; no pair is read in this clock, so two ports are enough |
// | near, far| addresses of the pair |
// | near_ok, far_ok | the sample exists (else 0: the idle history, or the middle tap's missing partner), one clock late |
// | tap      | 18-bit signed, two clocks late |
// | first, last, busy | first and last pair of an output; a pair at all; two clocks late |
// | result   | the sample, from eleven clocks after its last pair to the next one |
// | finished | one clock: `result` is new |
(* keep_hierarchy *)
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

    // 32 slots are a memory of their own.
    localparam BANKS = FIR_SLOTS / 32;
    localparam BANK_BITS = CHANNEL_BITS + 5;

    reg store_here, near_ok_here, far_ok_here, first_here, last_here, busy_here;
    reg signed [15:0] sample_here;
    reg [CHANNEL_BITS+6:0] near_here, far_here;
    reg signed [17:0] tap_here;
    reg [1:0] near_bank_read, far_bank_read, near_bank, far_bank;
    reg near_ok_held, far_ok_held, first_held, last_held, busy_held;
    reg signed [17:0] tap_held;
    wire [16*BANKS-1:0] near_held, far_held;
    reg signed [15:0] near_sample, far_sample;
    reg signed [16:0] pair, factor;
    reg signed [17:0] pair_tap, factor_tap;
    reg signed [34:0] fresh_product, product;
    reg signed [ACC_BITS-1:0] sum;
    reg pair_first, pair_last, pair_busy, factor_first, factor_last, factor_busy, fresh_first, fresh_last, fresh_busy;
    reg product_first, product_last, product_busy, sum_done;

    wire signed [ACC_BITS-1:0] half = 1 << (FIR_SHIFT - 1);

    always @(posedge clock) begin
        {store_here, sample_here, near_here, far_here} <= {store, sample, near, far};
        {near_ok_here, far_ok_here, tap_here} <= {near_ok, far_ok, tap};
        {first_here, last_here, busy_here} <= {first, last, busy};
    end

    // A memory's output comes late and often from far, so a register is between it and the choice of the bank.
    genvar b;
    generate
        for (b = 0; b < BANKS; b = b + 1) begin : bank
            (* no_rw_check *) reg [15:0] history [0:(1 << BANK_BITS)-1];
            reg [15:0] near_read, far_read, near_out, far_out;
            assign near_held[16*b +: 16] = near_out;
            assign far_held[16*b +: 16] = far_out;
            always @(posedge clock) begin
                if (store_here) begin
                    if (near_here[BANK_BITS +: 2] == b) history[near_here[BANK_BITS-1:0]] <= sample_here;
                end else begin
                    near_read <= history[near_here[BANK_BITS-1:0]];
                    far_read <= history[far_here[BANK_BITS-1:0]];
                end
                {near_out, far_out} <= {near_read, far_read};
            end
        end
    endgenerate

    always @(posedge clock) begin
        {near_bank_read, far_bank_read} <= {near_here[BANK_BITS +: 2], far_here[BANK_BITS +: 2]};
        {near_bank, far_bank} <= {near_bank_read, far_bank_read};
        {near_ok_held, far_ok_held, tap_held} <= {near_ok_here, far_ok_here, tap_here};
        {first_held, last_held, busy_held} <= {first_here, last_here, busy_here};
        near_sample <= near_ok_held ? near_held[16*near_bank +: 16] : 16'sd0;
        far_sample <= far_ok_held ? far_held[16*far_bank +: 16] : 16'sd0;
        pair <= near_sample + far_sample;
        pair_tap <= tap_held;
        {pair_first, pair_last, pair_busy} <= {first_held, last_held, busy_held};
        // The multiplier, which is far too, between registers that do nothing else.
        {factor, factor_tap} <= {pair, pair_tap};
        {factor_first, factor_last, factor_busy} <= {pair_first, pair_last, pair_busy};
        fresh_product <= factor * factor_tap;
        {fresh_first, fresh_last, fresh_busy} <= {factor_first, factor_last, factor_busy};
        product <= fresh_product;
        {product_first, product_last, product_busy} <= {fresh_first, fresh_last, fresh_busy};
        if (product_busy) sum <= (product_first ? half : sum) + product;
        sum_done <= product_busy && product_last;
    end

    always @(posedge clock) begin
        if (sum_done) result <= sum[FIR_SHIFT +: 25];
        finished <= sum_done;
    end
endmodule
