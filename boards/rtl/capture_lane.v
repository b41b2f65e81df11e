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
// | word_address | bank and channel to read; `word` has it one clock later |
//
// Latency: the lines as they stand two clocks before `sample`.
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
    reg [31:0] words [0:4*CHANNELS-1];
    reg [31:0] fetched;

    wire [10:0] line_number = write_channel * LANES + LANE + 1;
    wire now = inject ? ~^(line_number & time_now) : bits[0];
    wire [31:0] grown = {now, fetched[31:1]};

    always @(posedge clock) begin
        unsafe_lines <= lines;
        safe_lines <= unsafe_lines;
        if (sample) bits <= safe_lines;
        else if (write) bits <= bits >> 1;
        fetched <= partial[read_channel];
        if (write) partial[write_channel] <= grown;
        if (write && last) words[{bank, write_channel}] <= grown;
        word <= words[word_address];
    end
endmodule
