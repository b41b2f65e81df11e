// The timetable of the Walsh engine, shared by all lanes: each block (32 bits of every line) adds to all 2^ORDER_BITS
// coefficients of every channel.
//
// A frame is 2^ORDER_BITS blocks. Functions of a sequency below that are constant over a block, so a coefficient is
// W(s) = sum_q WAL(s, q) (2 popcount(block q) - 32), as dsp_core::walsh::low_coefficients has it.
//
// | port     | meaning |
// |----------|---------|
// | run      | low: forgets all |
// | start    | one clock: the words of `bank` are complete |
// | word_address | which word the capture lanes must show |
// | count    | one clock: the count of the word whose address was given three clocks ago is to be kept |
// | read, write (addresses) | coefficient to fetch and to store, two clocks apart |
// | store, fresh, negative  | store the sum; begin a frame; subtract the count; with the write address |
// | done     | one clock: the block is added; coefficient `done_sequency` of the frame before lies in `done_half` |
// | done_valid | with done: there was such a frame |
//
// A block takes CHANNELS (2^ORDER_BITS + 2) clocks.
module walsh_control #(
    parameter CHANNEL_BITS = 5,
    parameter ORDER_BITS = 4
) (
    input  wire                               clock,
    input  wire                               run,
    input  wire                               start,
    input  wire [1:0]                         bank,
    output wire [CHANNEL_BITS+1:0]            word_address,
    output reg                                count,
    output wire [CHANNEL_BITS+ORDER_BITS:0]   read_address,
    output reg  [CHANNEL_BITS+ORDER_BITS:0]   write_address,
    output reg                                store,
    output reg                                fresh,
    output reg                                negative,
    output reg                                busy,
    output reg                                done,
    output reg                                done_half,
    output reg  [ORDER_BITS-1:0]              done_sequency,
    output reg                                done_valid
);
    reg [1:0] present;
    reg [CHANNEL_BITS-1:0] channel;
    reg [ORDER_BITS:0] step;
    reg [ORDER_BITS-1:0] block;
    reg half, whole, next_store, next_fresh, next_negative;
    reg [CHANNEL_BITS+ORDER_BITS:0] next_address;

    // Step 0 asks for the word, whose count is there when the lanes see step 4; step 2 + s fetches coefficient s, stored two clocks later.
    localparam [ORDER_BITS:0] LAST_STEP = (1 << ORDER_BITS) + 1;
    wire [ORDER_BITS:0] shifted = step - 2;
    wire [ORDER_BITS-1:0] sequency = shifted[ORDER_BITS-1:0];
    wire adding = step >= 2;
    wire [ORDER_BITS-1:0] gray = sequency ^ (sequency >> 1);
    wire [ORDER_BITS-1:0] reversed;
    genvar k;
    generate
        for (k = 0; k < ORDER_BITS; k = k + 1) begin : reversal
            assign reversed[k] = block[ORDER_BITS-1-k];
        end
    endgenerate

    assign word_address = {present, channel};
    assign read_address = {half, sequency, channel};
    wire end_of_block = &channel && step == LAST_STEP;

    always @(posedge clock) begin
        count <= busy && step == 2;
        next_address <= read_address;
        {next_store, next_fresh, next_negative} <= {run && busy && adding, block == 0, ^(gray & reversed)};
        write_address <= next_address;
        {store, fresh, negative} <= {next_store, next_fresh, next_negative};
        done <= run && busy && end_of_block;
        done_half <= !half;
        done_sequency <= block;
        done_valid <= whole;
        if (!run) begin
            {busy, block, half, whole} <= 0;
        end else if (!busy) begin
            busy <= start;
            if (start) present <= bank;
            step <= 0;
            channel <= 0;
        end else begin
            step <= step == LAST_STEP ? 0 : step + 1;
            if (step == LAST_STEP) channel <= channel + 1;
            if (end_of_block) begin
                busy <= 0;
                block <= block + 1;
                if (&block) {half, whole} <= {!half, 1'b1};
            end
        end
    end
endmodule
