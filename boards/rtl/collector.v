// Puts finished blocks into the FIFO: a header with the block's number, then one word for each line, or nothing at all.
//
// | port    | meaning |
// |---------|---------|
// | run     | low: back to block 0 |
// | ready   | one clock: a block is there to be fetched (paced: its first channel); not while another is being fetched |
// | paced, go_on | the channels come one by one: after the first, each waits for a `go_on` |
// | room    | words that the FIFO can take |
// | channel | which channel of every lane to show; the lanes answer two clocks later in `shown`, lane 0 in the low word |
// | push, data | to the FIFO |
// | lost    | one clock: a block did not fit whole and is dropped |
// | number  | of the next block |
//
// LINES + 4 clocks a block; paced, LANES + 4 a channel.
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
    input  wire [32*LANES-1:0]     shown,
    output reg                     push,
    output reg  [31:0]             data,
    output reg                     lost,
    output reg  [31:0]             number
);
    localparam LINES = LANES << CHANNEL_BITS;
    localparam LANE_BITS = LANES > 1 ? $clog2(LANES) : 1;

    reg busy, may_go_on, next_busy, shown_busy;
    reg [LANE_BITS-1:0] lane, next_lane, shown_lane;
    wire fits = room > LINES;
    wire header = run && ready && fits;
    wire issue = busy && may_go_on;
    wire end_of_channel = lane == LANES - 1;

    always @(posedge clock) begin
        lost <= run && ready && !fits;
        push <= header || shown_busy;
        data <= header ? number : shown[32*shown_lane +: 32];
        {next_busy, shown_busy} <= {run && issue, run && next_busy};
        {next_lane, shown_lane} <= {lane, next_lane};
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
