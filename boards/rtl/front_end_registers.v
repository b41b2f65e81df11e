// The front end's bus slave: its registers, and the way out of its FIFO. README.md has the map.
//
// | port    | meaning |
// |---------|---------|
// | select, write, address, wdata, ready, rdata | the bus, see front_end.v |
// | run, inject, mode, divider | what was asked for |
// | begins  | one clock: run rises, counters start anew |
// | lost    | one clock: a block was dropped |
// | pop, fifo_word | one word out of the FIFO; the word one clock later |
module front_end_registers #(
    parameter LINES = 64,
    parameter FIFO_BITS = 11,
    parameter [15:0] MIN_DIVIDER = 59
) (
    input  wire               clock,
    input  wire               reset,
    input  wire               select,
    input  wire               write,
    input  wire [4:2]         address,
    input  wire [31:0]        wdata,
    output reg                ready,
    output reg  [31:0]        rdata,
    output reg                run,
    output reg                inject,
    output reg  [1:0]         mode,
    output reg  [15:0]        divider,
    input  wire               begins,
    input  wire [FIFO_BITS:0] used,
    input  wire               lost,
    output wire               pop,
    input  wire [31:0]        fifo_word
);
    localparam [2:0] ID = 0, NUMBER_OF_LINES = 1, CONTROL = 2, DIVIDER = 3, STATUS = 4, LOST = 5, DATA = 6;

    reg overrun, popped;
    reg [31:0] blocks_lost;
    wire access = select && !ready && !popped;
    wire stores = access && write;
    assign pop = access && !write && address == DATA;

    always @(posedge clock) begin
        popped <= pop && !reset;
        ready <= ((access && !pop) || popped) && !reset;
        if (popped) rdata <= fifo_word;
        else case (address)
            ID: rdata <= 32'h3145_464e;
            NUMBER_OF_LINES: rdata <= LINES;
            CONTROL: rdata <= {26'd0, mode, 2'd0, inject, run};
            DIVIDER: rdata <= {16'd0, divider};
            STATUS: rdata <= {15'd0, overrun, {15-FIFO_BITS{1'b0}}, used};
            LOST: rdata <= blocks_lost;
            default: rdata <= 0;
        endcase
    end

    always @(posedge clock) begin
        if (reset) begin
            {run, inject, mode} <= 0;
            divider <= MIN_DIVIDER;
        end else if (stores && address == CONTROL) {mode, inject, run} <= {wdata[5:4], wdata[1:0]};
        else if (stores && address == DIVIDER) divider <= wdata[15:0] < MIN_DIVIDER ? MIN_DIVIDER : wdata[15:0];

        if (reset || begins) blocks_lost <= 0;
        else if (lost) blocks_lost <= blocks_lost + 1;
        if (reset || begins) overrun <= 0;
        else if (lost) overrun <= 1;
        else if (stores && address == STATUS && wdata[16]) overrun <= 0;
    end
endmodule
