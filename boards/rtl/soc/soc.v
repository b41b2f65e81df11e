// The small system: a core, 256 KiB of RAM, the devices of peripherals.v. README.md has the map.
//
// `core` is one of soc/core_*.v: a soft-core behind a fetch port (always answered in the next clock, from RAM), a RAM port (the
// same) and a device port (see peripherals.v).
//
// | port | meaning |
// |------|---------|
// | all  | those of peripherals.v but for the bus |
// | load, load_address, load_data | while power_on is high: a word of the image goes into the RAM |
// | now_retired | the core retired an instruction; for a simulator's report |
module soc #(
    parameter LINES = 64,
    parameter FIFO_BITS = 11
) (
    input  wire             clock,
    input  wire             power_on,
    input  wire             load,
    input  wire [15:0]      load_address,
    input  wire [31:0]      load_data,
    output wire             core_reset,
    output wire             now_retired,
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
    output wire             finished,
    output wire [31:0]      finish_value
);
    wire [15:0] fetch_address, ram_address;
    wire [31:0] fetched, ram_wdata, ram_rdata, address, wdata, rdata;
    wire [3:0] ram_strobes, strobes;
    wire valid, ready;

    core cpu (
        .clock(clock), .reset(core_reset), .retired(now_retired),
        .fetch_address(fetch_address), .fetched(fetched),
        .ram_address(ram_address), .ram_strobes(ram_strobes), .ram_wdata(ram_wdata), .ram_rdata(ram_rdata),
        .valid(valid), .address(address), .strobes(strobes), .wdata(wdata), .ready(ready), .rdata(rdata)
    );
    ram memory (
        .clock(clock), .fetch_address(fetch_address), .fetched(fetched),
        .address(power_on ? load_address : ram_address), .strobes(power_on ? {4{load}} : ram_strobes),
        .wdata(power_on ? load_data : ram_wdata), .rdata(ram_rdata)
    );
    peripherals #(.LINES(LINES), .FIFO_BITS(FIFO_BITS)) devices (
        .clock(clock), .power_on(power_on), .core_reset(core_reset), .retired(now_retired),
        .valid(valid), .address(address), .strobes(strobes), .wdata(wdata), .ready(ready), .rdata(rdata),
        .lines(lines), .bit_enable(bit_enable), .bit_clock(bit_clock), .block_lost(block_lost),
        .frame_bytes(frame_bytes), .take(take), .word(word), .release_frame(release_frame),
        .out_valid(out_valid), .out_byte(out_byte), .in_valid(in_valid), .in_byte(in_byte), .in_take(in_take),
        .finished(finished), .finish_value(finish_value)
    );
endmodule
