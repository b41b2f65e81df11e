// CHANNELS one-bit lines to time words: bit t of word n is the line at bit time 32 n + t. Channel k is line LANES k + LANE.
//
// At each `sample` the lane takes its lines, and a pass of capture_control then shifts one bit into the word of one
// channel a clock. A register for every bit of every word would be 32 flip-flops a channel; a memory that is read and
// written once for a channel and a bit time is none.
//
// `inject` puts the wiring pattern in the lines' place: line c at bit time t carries NOT parity((c + 1) AND (t mod 2048)),
// a Walsh function of its own for each of up to 2047 lines, so a host that knows the map finds every swapped wire.
//
// | port         | meaning |
// |--------------|---------|
// | lines        | from the sensors, in no known relation to the clock: two registers come first |
// | others       | capture_control's outputs |
// | word_address | bank and channel to read; `word` has it three clocks later; not one that is being written |
//
// Latency: the lines as they stand one clock before `sample`. What comes from capture_control is the same for all lanes and comes from
// far, so each lane has its own registers behind it (`*_here`).
(* keep_hierarchy *)
module capture_lane #(
    parameter CHANNEL_BITS = 5,
    parameter LANE = 0,
    parameter LANES = 2,
    parameter CHANNELS = 1 << CHANNEL_BITS
) (
    input  wire                    clock,
    input  wire [CHANNELS-1:0]     lines,
    input  wire                    inject,
    input  wire                    sample,
    input  wire [CHANNEL_BITS-1:0] read_channel,
    input  wire                    write,
    input  wire [CHANNEL_BITS-1:0] write_channel,
    input  wire [10:0]             time_now,
    input  wire                    last,
    input  wire [1:0]              bank,
    input  wire [CHANNEL_BITS+1:0] word_address,
    output reg  [31:0]             word
);
    reg [CHANNELS-1:0] unsafe_lines, safe_lines, bits;
    reg [31:0] partial [0:CHANNELS-1];
    (* no_rw_check *) reg [31:0] words [0:4*CHANNELS-1];
    reg [31:0] fetched, word_read;
    reg inject_here, sample_here, write_here, last_here;
    reg [CHANNEL_BITS-1:0] read_channel_here, write_channel_here;
    reg [10:0] time_here;
    reg [1:0] bank_here;
    reg [CHANNEL_BITS+1:0] word_address_here;

    wire [10:0] line_number = write_channel_here * LANES + LANE + 1;
    wire now = inject_here ? ~^(line_number & time_here) : bits[0];
    wire [31:0] grown = {now, fetched[31:1]};

    always @(posedge clock) begin
        {inject_here, sample_here, read_channel_here} <= {inject, sample, read_channel};
        {write_here, write_channel_here} <= {write, write_channel};
        {time_here, last_here, bank_here, word_address_here} <= {time_now, last, bank, word_address};
    end

    always @(posedge clock) begin
        unsafe_lines <= lines;
        safe_lines <= unsafe_lines;
        if (sample_here) bits <= safe_lines;
        else if (write_here) bits <= bits >> 1;
        fetched <= partial[read_channel_here];
        if (write_here) partial[write_channel_here] <= grown;
        if (write_here && last_here) words[{bank_here, write_channel_here}] <= grown;
        word_read <= words[word_address_here];
        word <= word_read;
    end
endmodule
