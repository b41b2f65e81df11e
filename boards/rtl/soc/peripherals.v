// All devices of the SoC on one bus: finisher, console, front end, uplink, supervisor. README.md has the map.
//
// The bus: `valid` with address, strobes (0: a read) and wdata is held until `ready`, which is high for one clock, with rdata.
// An address without a device answers 0. The test benches drive this bus in a core's place.
//
// | port | meaning |
// |------|---------|
// | power_on  | clears everything |
// | core_reset| to the core, see supervisor.v |
// | retired   | from the core |
// | lines, bit_enable, bit_clock, block_lost | the sensors, see front_end.v |
// | frame_bytes, take, word, release_frame | the link, see uplink.v |
// | out_*, in_* | the console's bytes |
// | finished, finish_value | the core asks to stop a simulation, with what it wrote |
module peripherals #(
    parameter LINES = 64,
    parameter CHANNEL_BITS = 5,
    parameter FIFO_BITS = 11
) (
    input  wire             clock,
    input  wire             power_on,
    output wire             core_reset,
    input  wire             retired,
    input  wire             valid,
    input  wire [31:0]      address,
    input  wire [3:0]       strobes,
    input  wire [31:0]      wdata,
    output wire             ready,
    output wire [31:0]      rdata,
    input  wire [LINES-1:0] lines,
    input  wire             bit_enable,
    output wire             bit_clock,
    output wire             block_lost,
    output wire [15:0]      frame_bytes,
    input  wire             take,
    output wire [31:0]      word,
    input  wire             release_frame,
    output wire             out_valid,
    output wire [7:0]       out_byte,
    input  wire             in_valid,
    input  wire [7:0]       in_byte,
    output wire             in_take,
    output reg              finished,
    output reg  [31:0]      finish_value
);
    wire write = |strobes;
    wire [30:0] place = address[30:0];
    wire at_finisher = place[30:12] == 19'h00100;
    wire at_console = place[30:12] == 19'h10000;
    wire at_front_end = place[30:12] == 19'h20000;
    wire at_uplink = place[30:12] == 19'h20010;
    wire at_supervisor = place[30:12] == 19'h20020;
    wire at_none = !(at_console || at_front_end || at_uplink || at_supervisor);

    reg none_ready;
    wire console_ready, front_end_ready, uplink_ready, supervisor_ready;
    wire [31:0] console_data, front_end_data, uplink_data, supervisor_data;
    assign ready = none_ready || console_ready || front_end_ready || uplink_ready || supervisor_ready;
    assign rdata = (console_ready ? console_data : 0) | (front_end_ready ? front_end_data : 0)
                 | (uplink_ready ? uplink_data : 0) | (supervisor_ready ? supervisor_data : 0);

    always @(posedge clock) begin
        none_ready <= valid && at_none && !none_ready && !core_reset;
        finished <= valid && at_finisher && write && !none_ready && !core_reset;
        finish_value <= wdata;
    end

    console console_port (
        .clock(clock), .reset(core_reset), .select(valid && at_console), .write(write), .address(address[2]),
        .strobes(strobes), .wdata(wdata), .ready(console_ready), .rdata(console_data), .out_valid(out_valid),
        .out_byte(out_byte), .in_valid(in_valid), .in_byte(in_byte), .in_take(in_take)
    );
    front_end #(.LINES(LINES), .CHANNEL_BITS(CHANNEL_BITS), .FIFO_BITS(FIFO_BITS)) front (
        .clock(clock), .reset(core_reset), .lines(lines), .bit_enable(bit_enable), .bit_clock(bit_clock),
        .block_lost(block_lost),
        .select(valid && at_front_end), .write(write), .address(address[4:2]), .wdata(wdata),
        .ready(front_end_ready), .rdata(front_end_data)
    );
    uplink link (
        .clock(clock), .reset(core_reset), .power_on(power_on), .select(valid && at_uplink), .write(write),
        .address(address[4:2]), .wdata(wdata), .ready(uplink_ready), .rdata(uplink_data),
        .frame_bytes(frame_bytes), .take(take), .word(word), .release_frame(release_frame)
    );
    supervisor guard (
        .clock(clock), .power_on(power_on), .retired(retired), .core_reset(core_reset),
        .select(valid && at_supervisor), .write(write), .address(address[4:2]), .wdata(wdata),
        .ready(supervisor_ready), .rdata(supervisor_data)
    );
endmodule
