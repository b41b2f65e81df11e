// A front end between registers, for place and route: its lines come from a shift register, so that no package is short of
// pins, and all paths that count begin and end in a register. The shift register's LINES flip-flops are not the front end's; it goes
// through a lane's lines before it goes to the next, since pins would not tie the lanes together either.
//
// | port | meaning |
// |------|---------|
// | line | into the shift register |
// | others | front_end's bus and clock, each behind a register; wdata and rdata a bit at a time |
module pins #(
    parameter LINES = 64,
    parameter CHANNEL_BITS = 5,
    parameter FIFO_BITS = 11,
    parameter WITH_DECIMATOR = 1,
    parameter WITH_WALSH = 1
) (
    input  wire       clock,
    input  wire       reset,
    input  wire       line,
    output wire       bit_clock,
    input  wire       select,
    input  wire       write,
    input  wire [4:2] address,
    input  wire       wdata,
    output reg        ready,
    output wire       rdata
);
    localparam CHANNELS = 1 << CHANNEL_BITS;
    localparam LANES = LINES >> CHANNEL_BITS;
    reg [LINES-1:0] shifted;
    wire [LINES-1:0] lines;
    genvar k;
    generate
        for (k = 0; k < LINES; k = k + 1) begin : line_of_lane
            assign lines[LANES*(k % CHANNELS) + k / CHANNELS] = shifted[k];
        end
    endgenerate
    reg [31:0] write_bits, read_bits;
    reg select_in, write_in, reset_in;
    reg [4:2] address_in;
    wire ready_out;
    wire [31:0] read_out;
    assign rdata = read_bits[0];

    always @(posedge clock) begin
        shifted <= {shifted[LINES-2:0], line};
        write_bits <= {write_bits[30:0], wdata};
        {select_in, write_in, reset_in, address_in} <= {select, write, reset, address};
        ready <= ready_out;
        read_bits <= ready_out ? read_out : read_bits >> 1;
    end

    front_end #(
        .LINES(LINES), .CHANNEL_BITS(CHANNEL_BITS), .FIFO_BITS(FIFO_BITS), .WITH_DECIMATOR(WITH_DECIMATOR),
        .WITH_WALSH(WITH_WALSH)
    ) front (
        .clock(clock), .reset(reset_in), .lines(lines), .bit_enable(1'b1), .bit_clock(bit_clock), .block_lost(),
        .select(select_in), .write(write_in), .address(address_in), .wdata(write_bits), .ready(ready_out),
        .rdata(read_out)
    );
endmodule
