// When which bit of which line goes where: shared by all capture lanes, which work in step.
//
// | port     | unit      | meaning |
// |----------|-----------|---------|
// | run      |           | low: back to bit time 0 |
// | sample   |           | the lanes take their lines in this clock; a pass over CHANNELS channels follows |
// | read     |           | the word of read_channel is fetched |
// | write    |           | the word of write_channel, fetched one clock before, is stored with its new bit |
// | time_now | bit times | time of the bits of this pass since run rose, modulo 2048 |
// | last     |           | this pass completes the words |
// | bank     |           | where the words of this pass go, one of four by turns |
// | done     |           | one clock: all words of `done_bank` are complete |
//
// A pass takes CHANNELS + 1 clocks, which a bit time must have.
module capture_control #(
    parameter CHANNEL_BITS = 5
) (
    input  wire                    clock,
    input  wire                    run,
    input  wire                    sample,
    output wire                    read,
    output reg  [CHANNEL_BITS-1:0] read_channel,
    output reg                     write,
    output reg  [CHANNEL_BITS-1:0] write_channel,
    output reg  [10:0]             time_now,
    output wire                    last,
    output reg  [1:0]              bank,
    output reg                     done,
    output reg  [1:0]              done_bank
);
    reg busy;
    assign read = busy;
    assign last = time_now[4:0] == 5'd31;
    wire finishing = write && !busy;

    always @(posedge clock) begin
        write <= run && busy;
        write_channel <= read_channel;
        done <= run && finishing && last;
        done_bank <= bank;
        if (!run) begin
            busy <= 0;
            read_channel <= 0;
            time_now <= 0;
            bank <= 0;
        end else begin
            if (sample) busy <= 1;
            else if (&read_channel) busy <= 0;
            if (busy) read_channel <= read_channel + 1;
            if (finishing) begin
                time_now <= time_now + 1;
                if (last) bank <= bank + 1;
            end
        end
    end
endmodule
