// dsp-core's CIC (order 5 by 8) of one channel, 32 bits at a time, as the window that it is: four outputs, each the sum of
// 36 bits times 36 taps, four bits a clock.
//
// y[j] = sum_{m=0}^{35} c[m] b[8 j + 4 + m] - 2^14,   b = previous word (bits 0..31), then this word (32..63)
//
// These are the half units of dsp_core::decimator: bits count as 0 and 1, and the constant makes silence 0. All that a channel
// must remember is its previous word: 32 bits, where five integrators and five combs are 160 (cic_integrators.v), and one
// adder does the work of ten. It is not recursive, so nothing has to be cleared at the start but the previous word.
//
// | port        | meaning |
// |-------------|---------|
// | load_previous, load_current | `word` in the next clock is the one before / the one of this visit |
// | idle        | with load_previous: there was none; the channel was idle |
// | active      | a nibble is taken in this clock: number `part` (0..8) of output `output_index` (0..3) |
// | sample      | -2^14 .. 2^14, full scale 2^14 = dsp-core's half units |
// | valid       | one clock, six clocks after `active` with part 8 |
//
// All but the word is the same for all lanes and comes from far, so each lane has its own registers behind it (`*_here`).
(* keep_hierarchy *)
module cic_window (
    input  wire               clock,
    input  wire [31:0]        word,
    input  wire               load_previous,
    input  wire               load_current,
    input  wire               idle,
    input  wire               active,
    input  wire [3:0]         part,
    input  wire [1:0]         output_index,
    output reg  signed [15:0] sample,
    output reg                valid
);
    `include "cic_tables.vh"

    reg [63:0] window;
    reg previous_here, current_here, idle_here, active_here;
    reg [3:0] part_here;
    reg [1:0] output_here;
    reg [3:0] place, place_part, nibble, nibble_part;
    reg place_valid;
    reg [CIC_SHARE_BITS-1:0] found, share;
    reg nibble_valid, found_valid, found_first, found_last, share_valid, share_first, share_last;

    always @(posedge clock) begin
        {previous_here, current_here, idle_here} <= {load_previous, load_current, idle};
        {active_here, part_here, output_here} <= {active, part, output_index};
    end

    always @(posedge clock) begin
        if (previous_here) window[31:0] <= idle_here ? 32'h5555_5555 : word;
        if (current_here) window[63:32] <= word;

        place <= {1'b0, output_here, 1'b1} + part_here;
        {place_part, place_valid} <= {part_here, active_here};
        nibble <= window[4*place +: 4];
        {nibble_part, nibble_valid} <= {place_part, place_valid};

        // The table is a block RAM where that is cheapest, hence the register behind it.
        found <= cic_share(nibble_part, nibble);
        {found_valid, found_first, found_last} <= {nibble_valid, nibble_part == 0, nibble_part == CIC_PARTS - 1};
        share <= found;
        {share_valid, share_first, share_last} <= {found_valid, found_first, found_last};

        if (share_valid) sample <= (share_first ? CIC_OFFSET : sample) + {{16-CIC_SHARE_BITS{1'b0}}, share};
        valid <= share_valid && share_last;
    end
endmodule
