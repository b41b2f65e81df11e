// The sensor front end: LINES one-bit lines in, blocks of words out through a bus slave.
//
// Line k belongs to lane k % LANES. Lanes of 2^CHANNEL_BITS channels work in step, so all control stands here once. README.md has the register map and the
// budget of clocks.
//
// | port | meaning |
// |------|---------|
// | lines, bit_clock, bit_enable | the sensors; see capture_lane.v and clock_divider.v |
// | block_lost | one clock for each block that did not fit the FIFO |
// | select, write, address, wdata | an access, held until `ready`, which is high for one clock |
// | rdata | with ready |
//
// Latency of an access: one clock; two for a word out of the FIFO.
module front_end #(
    parameter LINES = 64,
    parameter CHANNEL_BITS = 5,
    parameter FIFO_BITS = 11,
    parameter ORDER_BITS = 4,
    parameter WITH_DECIMATOR = 1,
    parameter WITH_WALSH = 1
) (
    input  wire             clock,
    input  wire             reset,
    input  wire [LINES-1:0] lines,
    input  wire             bit_enable,
    output wire             bit_clock,
    output wire             block_lost,
    input  wire             select,
    input  wire             write,
    input  wire [4:2]       address,
    input  wire [31:0]      wdata,
    output wire             ready,
    output wire [31:0]      rdata
);
    localparam CHANNELS = 1 << CHANNEL_BITS;
    localparam LANES = LINES >> CHANNEL_BITS;
    // Clocks a block of 32 bits needs, by the slowest of those that work on it.
    localparam DECIMATOR_CLOCKS = WITH_DECIMATOR ? (CHANNELS + 1) * 56 + 8 : 0;
    localparam WALSH_CLOCKS = (WITH_WALSH ? CHANNELS * ((1 << ORDER_BITS) + 2) : 0) + LINES + 8;
    localparam BLOCK_CLOCKS = WALSH_CLOCKS > DECIMATOR_CLOCKS ? WALSH_CLOCKS : DECIMATOR_CLOCKS;
    localparam BY_BLOCK = BLOCK_CLOCKS / 32 + 1;
    localparam BY_PASS = CHANNELS + 4;
    localparam [15:0] MIN_DIVIDER = BY_BLOCK > BY_PASS ? BY_BLOCK : BY_PASS;

    wire        run_wish, inject, flush, pop;
    wire [1:0]  mode_wish;
    wire [15:0] divider;
    reg  [1:0]  mode;
    reg         run;
    wire [FIFO_BITS:0] used, room;
    wire [31:0] fifo_word;
    wire        lost;
    assign block_lost = lost;

    // What kind of blocks is settled when run rises.
    assign flush = run_wish && !run;
    always @(posedge clock) begin
        run <= run_wish && !reset;
        if (!run) mode <= mode_wish;
    end
    wire decimating = mode == 1;
    wire counting = mode == 2;

    front_end_registers #(.LINES(LINES), .FIFO_BITS(FIFO_BITS), .MIN_DIVIDER(MIN_DIVIDER)) registers (
        .clock(clock), .reset(reset),
        .select(select), .write(write), .address(address), .wdata(wdata), .ready(ready), .rdata(rdata),
        .run(run_wish), .inject(inject), .mode(mode_wish), .divider(divider),
        .begins(flush), .used(used), .lost(lost), .pop(pop), .fifo_word(fifo_word)
    );

    wire sample;
    clock_divider divider_of_the_clock (
        .clock(clock), .run(run), .enable(bit_enable), .divider(divider), .bit_clock(bit_clock), .sample(sample)
    );

    wire capture_read, capture_write, last, captured;
    wire [CHANNEL_BITS-1:0] read_channel, write_channel;
    wire [10:0] time_now;
    wire [1:0] bank, captured_bank;
    capture_control #(.CHANNEL_BITS(CHANNEL_BITS)) capture (
        .clock(clock), .run(run), .sample(sample),
        .read(capture_read), .read_channel(read_channel), .write(capture_write), .write_channel(write_channel),
        .time_now(time_now), .last(last), .bank(bank), .done(captured), .done_bank(captured_bank)
    );

    // The decimator's and the Walsh engine's timetables.
    wire [CHANNEL_BITS+1:0] decimator_word, walsh_word;
    wire load_previous, load_current, idle, cic_active, near_ok, far_ok, first, last_pair, fir_busy;
    wire [3:0] cic_part;
    wire [1:0] cic_output;
    wire [CHANNEL_BITS+6:0] near, far;
    wire signed [17:0] tap;
    wire first_channel;
    wire [LANES-1:0] stored, decimated;
    decimator_control #(.CHANNEL_BITS(CHANNEL_BITS)) decimator (
        .clock(clock), .run(run && decimating), .start(captured), .bank(captured_bank),
        .word_address(decimator_word), .load_previous(load_previous), .load_current(load_current), .idle(idle),
        .cic_active(cic_active), .cic_part(cic_part), .cic_output(cic_output),
        .near(near), .far(far), .near_ok(near_ok), .far_ok(far_ok), .tap(tap),
        .first(first), .last(last_pair), .fir_busy(fir_busy), .first_channel(first_channel)
    );

    wire count, walsh_store, fresh, negative, walsh_busy, counted, counted_half, counted_valid;
    wire [CHANNEL_BITS+ORDER_BITS:0] walsh_read, walsh_write;
    wire [ORDER_BITS-1:0] counted_sequency;
    walsh_control #(.CHANNEL_BITS(CHANNEL_BITS), .ORDER_BITS(ORDER_BITS)) walsh (
        .clock(clock), .run(run && counting), .start(captured), .bank(captured_bank), .word_address(walsh_word),
        .count(count), .read_address(walsh_read), .write_address(walsh_write),
        .store(walsh_store), .fresh(fresh), .negative(negative), .busy(walsh_busy),
        .done(counted), .done_half(counted_half), .done_sequency(counted_sequency), .done_valid(counted_valid)
    );

    // The collector fetches what the mode makes: samples channel by channel as they come, the rest when all is there.
    wire block_ready = decimating ? decimated[0] && first_channel : counting ? counted && counted_valid : captured;
    reg [1:0] block_bank;
    reg block_half;
    reg [ORDER_BITS-1:0] block_sequency;
    always @(posedge clock) begin
        if (captured) block_bank <= captured_bank;
        if (counted) {block_half, block_sequency} <= {counted_half, counted_sequency};
    end
    wire [CHANNEL_BITS-1:0] channel;
    wire [CHANNEL_BITS+1:0] word_address =
        decimating ? decimator_word : counting ? walsh_word : {block_bank, channel};
    wire [CHANNEL_BITS+ORDER_BITS:0] coefficient_read =
        walsh_busy ? walsh_read : {block_half, block_sequency, channel};
    wire [32*LANES+31:0] shown;
    assign shown[32*LANES +: 32] = 0;
    wire load;
    wire push;
    wire [31:0] pushed, number;
    collector #(.CHANNEL_BITS(CHANNEL_BITS), .LANES(LANES), .ROOM_BITS(FIFO_BITS + 1)) collect (
        .clock(clock), .run(run), .ready(block_ready), .paced(decimating), .go_on(decimated[0]), .room(room), .channel(channel),
        .load(load), .shown(shown[31:0]),
        .push(push), .data(pushed), .lost(lost), .number(number)
    );
    block_fifo #(.DEPTH_BITS(FIFO_BITS)) fifo (
        .clock(clock), .flush(flush || reset), .push(push), .data(pushed), .pop(pop), .word(fifo_word),
        .used(used), .room(room)
    );

    genvar k, l;
    generate
        // A channel's results must be collected within one visit of the decimator.
        if (WITH_DECIMATOR && LANES > 48) begin : check
            more_than_48_lanes_with_a_decimator error ();
        end
        for (l = 0; l < LANES; l = l + 1) begin : lane
            wire [31:0] word;
            wire signed [15:0] cic_sample;
            wire signed [24:0] result;
            wire [CHANNELS-1:0] lane_lines;
            for (k = 0; k < CHANNELS; k = k + 1) begin : lines_of_lane
                assign lane_lines[k] = lines[LANES*k + l];
            end
            wire [31:0] coefficient;
            capture_lane #(.CHANNEL_BITS(CHANNEL_BITS), .LANE(l), .LANES(LANES)) capture (
                .clock(clock), .lines(lane_lines), .inject(inject), .sample(sample),
                .read_channel(read_channel), .write(capture_write), .write_channel(write_channel),
                .time_now(time_now), .last(last), .bank(bank), .word_address(word_address), .word(word)
            );
            if (WITH_DECIMATOR) begin : decimator
                cic_window cic (
                    .clock(clock), .word(word), .load_previous(load_previous), .load_current(load_current),
                    .idle(idle), .active(cic_active), .part(cic_part), .output_index(cic_output),
                    .sample(cic_sample), .valid(stored[l])
                );
                fir_lane #(.CHANNEL_BITS(CHANNEL_BITS)) fir (
                    .clock(clock), .store(stored[l]), .sample(cic_sample), .near(near), .far(far),
                    .near_ok(near_ok), .far_ok(far_ok), .tap(tap), .first(first), .last(last_pair),
                    .busy(fir_busy), .result(result), .finished(decimated[l])
                );
            end else begin : no_decimator
                assign stored[l] = 0;
                assign decimated[l] = 0;
                assign result = 0;
            end
            if (WITH_WALSH) begin : walsh
                walsh_lane #(.CHANNEL_BITS(CHANNEL_BITS), .ORDER_BITS(ORDER_BITS)) walsh (
                    .clock(clock), .word(word), .count(count), .read_address(coefficient_read),
                    .write_address(walsh_write), .store(walsh_store), .fresh(fresh), .negative(negative),
                    .coefficient(coefficient)
                );
            end else begin : no_walsh
                assign coefficient = 0;
            end
            chain_lane #(.WITH_DECIMATOR(WITH_DECIMATOR), .WITH_WALSH(WITH_WALSH)) chain (
                .clock(clock), .decimating(decimating), .counting(counting), .word(word), .coefficient(coefficient),
                .result(result), .load(load), .next(shown[32*(l+1) +: 32]), .shown(shown[32*l +: 32])
            );
        end
    endgenerate
endmodule
