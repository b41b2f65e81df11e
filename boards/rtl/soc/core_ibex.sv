// Ibex (RV32IMC, multiplier of one clock, first instruction at 0x8000_0080) as the `core` of soc.v.
//
// SystemVerilog, as Ibex's ports need its packages. RAM answers every request in the next clock; a device's request is granted
// when it is done.
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
    logic fetch, request, write, fetch_valid, from_ram, from_device;
    logic [31:0] fetch_place, device_data;
    logic [3:0] select;

    assign fetch_address = fetch_place[17:2];
    wire in_ram = is_ram(address);
    assign ram_address = address[17:2];
    assign strobes = write ? select : 4'd0;
    assign ram_strobes = request && in_ram && !reset ? strobes : 4'd0;
    assign ram_wdata = wdata;
    assign valid = request && !in_ram && !reset;
    assign retired = cpu.u_ibex_core.perf_instr_ret_wb;

    always_ff @(posedge clock) begin
        fetch_valid <= fetch && !reset;
        from_ram <= request && in_ram && !reset;
        from_device <= valid && ready;
        device_data <= rdata;
    end

    ibex_top #(.RV32M(ibex_pkg::RV32MSingleCycle), .MHPMCounterNum(0)) cpu (
        .clk_i(clock), .rst_ni(!reset), .test_en_i(1'b0), .ram_cfg_i('0), .hart_id_i('0), .boot_addr_i(32'h8000_0000),
        .instr_req_o(fetch), .instr_gnt_i(fetch), .instr_rvalid_i(fetch_valid), .instr_addr_o(fetch_place),
        .instr_rdata_i(fetched), .instr_rdata_intg_i('0), .instr_err_i(1'b0),
        .data_req_o(request), .data_gnt_i(request && (in_ram || ready)), .data_rvalid_i(from_ram || from_device),
        .data_we_o(write), .data_be_o(select), .data_addr_o(address), .data_wdata_o(wdata), .data_wdata_intg_o(),
        .data_rdata_i(from_ram ? ram_rdata : device_data), .data_rdata_intg_i('0), .data_err_i(1'b0),
        .irq_software_i(1'b0), .irq_timer_i(1'b0), .irq_external_i(1'b0), .irq_fast_i('0), .irq_nm_i(1'b0),
        .scramble_key_valid_i(1'b0), .scramble_key_i('0), .scramble_nonce_i('0), .scramble_req_o(),
        .debug_req_i(1'b0), .crash_dump_o(), .double_fault_seen_o(), .fetch_enable_i(ibex_pkg::IbexMuBiOn),
        .alert_minor_o(), .alert_major_internal_o(), .alert_major_bus_o(), .core_sleep_o(), .scan_rst_ni(1'b1)
    );
endmodule

// What Ibex expects of a technology: a wire with a name, and a clock that is never gated.
module prim_buf #(
    parameter int Width = 1
) (
    input  wire [Width-1:0] in_i,
    output wire [Width-1:0] out_o
);
    assign out_o = in_i;
endmodule

module prim_clock_gating (
    input  wire clk_i,
    input  wire en_i,
    input  wire test_en_i,
    output wire clk_o
);
    assign clk_o = clk_i;
endmodule
