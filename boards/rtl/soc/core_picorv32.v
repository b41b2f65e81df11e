// PicoRV32 (RV32IMC, reset vector 0x8000_0000) as the `core` of soc.v. One port for all: an access takes two clocks.
module core (
    input  wire        clock,
    input  wire        reset,
    output wire        retired,
    output wire [15:0] fetch_address,
    input  wire [31:0] fetched,
    output wire [15:0] ram_address,
    output wire [3:0]  ram_strobes,
    output wire [31:0] ram_wdata,
    input  wire [31:0] ram_rdata,
    output wire        valid,
    output wire [31:0] address,
    output wire [3:0]  strobes,
    output wire [31:0] wdata,
    input  wire        ready,
    input  wire [31:0] rdata
);
    `include "is_ram.vh"
    wire access, in_ram;
    reg ram_ready, counted;

    assign fetch_address = 0;
    assign in_ram = is_ram(address);
    assign ram_address = address[17:2];
    assign ram_strobes = access && in_ram && !ram_ready && !reset ? strobes : 4'd0;
    assign ram_wdata = wdata;
    assign valid = access && !in_ram && !reset;

    // The core's counter of instructions has no pin.
    wire last_bit = cpu.count_instr[0];
    assign retired = last_bit != counted;
    always @(posedge clock) begin
        ram_ready <= access && in_ram && !ram_ready && !reset;
        counted <= reset ? 1'b0 : last_bit;
    end

    picorv32 #(
        .COMPRESSED_ISA(1), .BARREL_SHIFTER(1), .ENABLE_FAST_MUL(1), .ENABLE_DIV(1), .PROGADDR_RESET(32'h8000_0000)
    ) cpu (
        .clk(clock), .resetn(!reset), .mem_valid(access), .mem_addr(address), .mem_wdata(wdata), .mem_wstrb(strobes),
        .mem_ready(ram_ready || (ready && !in_ram)), .mem_rdata(in_ram ? ram_rdata : rdata),
        .pcpi_wr(1'b0), .pcpi_rd(32'd0), .pcpi_wait(1'b0), .pcpi_ready(1'b0), .irq(32'd0)
    );
endmodule
