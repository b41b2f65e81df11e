// The console: a 16550's receive and transmit registers (RBR/THR at byte 0) and its line status (LSR at byte 5), before a
// stream of bytes that a serial port, or a simulation, takes and gives.
//
// | port | meaning |
// |------|---------|
// | select, write, address, strobes, wdata, ready, rdata | the bus, see front_end.v; `strobes` says which bytes are written |
// | out_valid, out_byte | one clock: a byte goes out; it is always taken |
// | in_valid, in_byte | a byte is waiting; `in_take` for one clock when the core has read it |
module console (
    input  wire        clock,
    input  wire        reset,
    input  wire        select,
    input  wire        write,
    input  wire        address,
    input  wire [3:0]  strobes,
    input  wire [31:0] wdata,
    output reg         ready,
    output reg  [31:0] rdata,
    output reg         out_valid,
    output reg  [7:0]  out_byte,
    input  wire        in_valid,
    input  wire [7:0]  in_byte,
    output reg         in_take
);
    wire access = select && !ready && !reset;

    always @(posedge clock) begin
        ready <= access;
        // Bytes 4 and 5: the 16550's modem control, 0, and line status: bit 0 data ready, bits 5 and 6 room to transmit.
        rdata <= address ? {16'd0, 2'b01, 1'b1, 4'd0, in_valid, 8'd0} : {24'd0, in_valid ? in_byte : 8'd0};
        out_valid <= access && write && !address && strobes[0];
        out_byte <= wdata[7:0];
        in_take <= access && !write && !address && in_valid;
    end
endmodule
