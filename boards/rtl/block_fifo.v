// A FIFO of 2^DEPTH_BITS words of 32 bits in block RAM.
//
// | port  | meaning |
// |-------|---------|
// | flush | empties it |
// | push, data | a word in; ignored where there is no room |
// | pop   | the oldest word out: in `word` one clock later, 0 where there was none |
// | used, room | words in it, words that it can still take |
module block_fifo #(
    parameter DEPTH_BITS = 11
) (
    input  wire                clock,
    input  wire                flush,
    input  wire                push,
    input  wire [31:0]         data,
    input  wire                pop,
    output wire [31:0]         word,
    output reg  [DEPTH_BITS:0] used,
    output wire [DEPTH_BITS:0] room
);
    localparam [DEPTH_BITS:0] DEPTH = 1 << DEPTH_BITS;
    // Never read where it is being written: the FIFO is empty then.
    (* no_rw_check *) reg [31:0] memory [0:DEPTH-1];
    reg [31:0] fetched;
    reg [DEPTH_BITS-1:0] front, back;
    reg had_one;

    assign room = DEPTH - used;
    assign word = had_one ? fetched : 0;
    wire takes = push && used != DEPTH;
    wire gives = pop && used != 0;

    always @(posedge clock) begin
        if (takes) memory[back] <= data;
        fetched <= memory[front];
    end
    always @(posedge clock) begin
        had_one <= gives && !flush;
        if (flush) {front, back, used} <= 0;
        else begin
            if (takes) back <= back + 1;
            if (gives) front <= front + 1;
            used <= used + {{DEPTH_BITS{1'b0}}, takes} - {{DEPTH_BITS{1'b0}}, gives};
        end
    end
endmodule
