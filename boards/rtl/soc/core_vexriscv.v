// VexRiscv (RV32IMAC, caches of 4 KiB, reset vector 0x4000_0000) as the `core` of soc.v.
//
// It caches data where address bit 31 is 0, and there only: its RAM is the one at 0x4000_0000, its devices those with bit 31
// set. Bursts of its caches get a word a clock: the RAM is asked for the next word while one is answered.
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
    localparam [2:0] BURST = 3'b010;

    wire fetch, fetch_strobe, data, data_strobe, data_write;
    wire [29:0] fetch_place, data_place;
    wire [3:0] data_select;
    wire [2:0] fetch_kind, data_kind;
    reg fetch_ack, data_ack;

    wire fetches = fetch && fetch_strobe && !reset;
    assign fetch_address = fetch_place[15:0] + {15'd0, fetch_ack};

    assign address = {data_place, 2'b00};
    wire in_ram = is_ram(address);
    wire accesses = data && data_strobe && !reset;
    wire in_ram_access = accesses && in_ram;
    assign ram_address = data_place[15:0] + {15'd0, data_ack && !data_write};
    assign ram_strobes = in_ram_access && data_write && !data_ack ? data_select : 4'd0;
    assign ram_wdata = wdata;
    assign valid = accesses && !in_ram;
    assign strobes = data_write ? data_select : 4'd0;
    assign retired = cpu.lastStageIsFiring;

    always @(posedge clock) begin
        fetch_ack <= fetches && (!fetch_ack || fetch_kind == BURST);
        data_ack <= in_ram_access && (!data_ack || (data_kind == BURST && !data_write));
    end

    VexRiscv cpu (
        .externalResetVector(32'h4000_0000), .timerInterrupt(1'b0), .softwareInterrupt(1'b0),
        .externalInterruptArray(32'd0),
        .iBusWishbone_CYC(fetch), .iBusWishbone_STB(fetch_strobe), .iBusWishbone_ACK(fetch_ack),
        .iBusWishbone_ADR(fetch_place), .iBusWishbone_DAT_MISO(fetched), .iBusWishbone_ERR(1'b0),
        .iBusWishbone_CTI(fetch_kind),
        .dBusWishbone_CYC(data), .dBusWishbone_STB(data_strobe), .dBusWishbone_ACK(data_ack || ready),
        .dBusWishbone_WE(data_write), .dBusWishbone_ADR(data_place),
        .dBusWishbone_DAT_MISO(data_ack ? ram_rdata : rdata), .dBusWishbone_DAT_MOSI(wdata),
        .dBusWishbone_SEL(data_select), .dBusWishbone_ERR(1'b0), .dBusWishbone_CTI(data_kind),
        .clk(clock), .reset(reset)
    );
endmodule
