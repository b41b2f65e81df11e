// Puts finished blocks into the FIFO: a header with the block's number, then one word for each line, or nothing at all.
//
// | port    | meaning |
// |---------|---------|
// | run     | low: back to block 0 |
// | ready   | one clock: a block is there to be fetched (paced: its first channel); not while another is being fetched |
// | paced, go_on | the channels come one by one: after the first, each waits for a `go_on` |
// | room    | words that the FIFO can take |
// | channel | which channel of every lane to show; the lanes answer four clocks later |
// | load    | one clock ahead: the lanes' answers go into a chain of registers, one a lane; from then on the chain moves a lane a clock |
// | shown   | the chain's end: lane 0 first |
// | push, data | to the FIFO |
// | lost    | one clock: a block did not fit whole and is dropped |
// | number  | of the next block |
//
// LINES + 7 clocks a block; paced, LANES + 7 a channel.
module collector #(
    parameter CHANNEL_BITS = 5,
    parameter LANES = 2,
    parameter ROOM_BITS = 12
) (
    input  wire                    clock,
    input  wire                    run,
    input  wire                    ready,
    input  wire                    paced,
    input  wire                    go_on,
    input  wire [ROOM_BITS-1:0]    room,
    output reg  [CHANNEL_BITS-1:0] channel,
    output wire                    load,
    input  wire [31:0]             shown,
    output reg                     push,
    output reg  [31:0]             data,
    output reg                     lost,
    output reg  [31:0]             number
);
    localparam LINES = LANES << CHANNEL_BITS;
    localparam LANE_BITS = LANES > 1 ? $clog2(LANES) : 1;

    reg busy, may_go_on;
    reg [LANE_BITS-1:0] lane;
    // Where an issued word is on its way: asked for, addressed, read, held, chosen (and loaded), at the chain's end.
    reg [4:0] under_way;
    reg [2:0] first_under_way;
    wire shown_busy = under_way[4];
    assign load = first_under_way[2];
    wire fits = room > LINES;
    wire header = run && ready && fits;
    wire issue = busy && may_go_on;
    wire end_of_channel = lane == LANES - 1;

    always @(posedge clock) begin
        lost <= run && ready && !fits;
        push <= header || shown_busy;
        data <= header ? number : shown;
        under_way <= run ? {under_way[3:0], issue} : 5'd0;
        first_under_way <= {first_under_way[1:0], issue && lane == 0};
        if (!run) begin
            busy <= 0;
            number <= 0;
        end else if (ready) begin
            busy <= fits;
            number <= number + 1;
        end else if (issue && end_of_channel && &channel) busy <= 0;

        if (ready || go_on) may_go_on <= 1;
        else if (issue && end_of_channel) may_go_on <= !paced;

        if (!busy) {channel, lane} <= 0;
        else if (issue) begin
            lane <= end_of_channel ? 0 : lane + 1;
            if (end_of_channel) channel <= channel + 1;
        end
    end
endmodule
