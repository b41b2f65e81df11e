// dsp-core's CIC (order 5 by 8) as the textbook has it: five integrators at the bit rate, five combs at an eighth of it, for
// 2^CHANNEL_BITS channels by turns. The states lie in memories, and one bit of one channel is taken in a clock.
//
// It is the readable twin of cic_window.v, which gives the same integers (tests/tests/boards/rtl) for less memory; synthesis.md
// compares them. Registers are 16 bits wide and wrap; the outputs are right since they fit (dsp-core/src/cic.rs).
//
// | port    | meaning |
// |---------|---------|
// | clear   | the channel begins: its state counts as 0 from here on; with its first bit |
// | valid   | `one_bit` is the next bit of `channel`; not the same channel within four clocks |
// | combing | with valid: this is the last of eight bits, an output follows |
// | sample  | half units: -2^14 .. 2^14 |
// | sample_valid, sample_channel | one clock, four clocks after the bit that completed it |
//
// Bits count as 0 and 1, so a channel that was idle for ever has not state 0: its first five outputs differ from the
// chain's, the sixth and all after it are the chain's.
module cic_integrators #(
    parameter CHANNEL_BITS = 6
) (
    input  wire                    clock,
    input  wire                    valid,
    input  wire                    clear,
    input  wire                    combing,
    input  wire [CHANNEL_BITS-1:0] channel,
    input  wire                    one_bit,
    output reg                     sample_valid,
    output reg  [CHANNEL_BITS-1:0] sample_channel,
    output reg  signed [15:0]      sample
);
    reg [79:0] integrators [0:(1<<CHANNEL_BITS)-1];
    reg [79:0] combs [0:(1<<CHANNEL_BITS)-1];
    reg [79:0] sums, delays;
    reg fetched, fetched_clear, fetched_combing, fetched_bit, summed, summed_clear, delays_fetched, delays_clear;
    reg [CHANNEL_BITS-1:0] fetched_channel, summed_channel, delays_channel;
    reg [15:0] summed_value, delays_value;

    // Each integrator takes the new value of the one before it.
    wire [79:0] s = fetched_clear ? 80'd0 : sums;
    wire [15:0] s0 = s[15:0] + {15'd0, fetched_bit};
    wire [15:0] s1 = s[31:16] + s0;
    wire [15:0] s2 = s[47:32] + s1;
    wire [15:0] s3 = s[63:48] + s2;
    wire [15:0] s4 = s[79:64] + s3;

    wire [79:0] d = delays_clear ? 80'd0 : delays;
    wire [15:0] d0 = delays_value - d[15:0];
    wire [15:0] d1 = d0 - d[31:16];
    wire [15:0] d2 = d1 - d[47:32];
    wire [15:0] d3 = d2 - d[63:48];
    wire [15:0] d4 = d3 - d[79:64];

    // A channel's first comb is the one after its first eight bits.
    reg [(1<<CHANNEL_BITS)-1:0] untouched;

    always @(posedge clock) begin
        sums <= integrators[channel];
        {fetched, fetched_clear, fetched_combing, fetched_bit} <= {valid, clear, combing, one_bit};
        fetched_channel <= channel;
        if (fetched) integrators[fetched_channel] <= {s4, s3, s2, s1, s0};

        summed <= fetched && fetched_combing;
        summed_channel <= fetched_channel;
        summed_value <= s4;
        if (fetched && fetched_clear) untouched[fetched_channel] <= 1;

        delays <= combs[summed_channel];
        delays_fetched <= summed;
        delays_clear <= untouched[summed_channel];
        delays_channel <= summed_channel;
        delays_value <= summed_value;
        if (summed) untouched[summed_channel] <= 0;
        if (delays_fetched) combs[delays_channel] <= {d3, d2, d1, d0, delays_value};

        sample_valid <= delays_fetched;
        sample_channel <= delays_channel;
        sample <= d4 - 16'd16384;
    end
endmodule
