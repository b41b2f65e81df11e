// The timetable of the decimator, shared by all lanes: one visit of VISIT clocks for each of a lane's channels.
//
// In visit v the CIC makes four samples of channel v and the FIR one output of channel v - 1, so a block (32 bits of every
// line) takes CHANNELS + 1 visits. The FIR waits one clock for each sample that the CIC stores.
//
// | port     | meaning |
// |----------|---------|
// | run      | low: forgets all; the channels have been idle for ever |
// | start    | one clock: the words of `bank` are complete |
// | word_*   | which word the capture lanes must show, and when it is the previous / the present one |
// | cic_*    | to cic_window |
// | fir_*    | to fir_lane |
// | first_channel | the next result is that of channel 0: a block begins |
module decimator_control #(
    parameter CHANNEL_BITS = 5
) (
    input  wire                    clock,
    input  wire                    run,
    input  wire                    start,
    input  wire [1:0]              bank,
    output wire [CHANNEL_BITS+1:0] word_address,
    output reg                     load_previous,
    output reg                     load_current,
    output reg                     idle,
    output reg                     cic_active,
    output reg  [3:0]              cic_part,
    output reg  [1:0]              cic_output,
    output reg  [CHANNEL_BITS+6:0] near,
    output reg  [CHANNEL_BITS+6:0] far,
    output reg                     near_ok,
    output reg                     far_ok,
    output reg  signed [17:0]      tap,
    output reg                     first,
    output reg                     last,
    output reg                     fir_busy,
    output wire                    first_channel
);
    `include "fir_tables.vh"
    localparam VISIT = 56;
    localparam CIC_START = 4;
    // Clocks of cic_window from an output's last nibble to its sample.
    localparam CIC_LATENCY = 6;
    localparam [6:0] NEWEST = 3;
    localparam [CHANNEL_BITS:0] CHANNELS = 1 << CHANNEL_BITS;

    reg busy, fresh;
    reg [1:0] present;
    reg [5:0] step;
    reg [CHANNEL_BITS:0] visit;
    reg [6:0] head;
    reg [6:0] filled;
    reg [1:0] stored_index;

    wire end_of_visit = step == VISIT - 1;
    wire end_of_block = end_of_visit && visit == CHANNELS;
    wire [6:0] next_head = head == FIR_SLOTS - 4 ? 7'd0 : head + 7'd4;

    // Visits and blocks.
    always @(posedge clock) begin
        if (!run) begin
            busy <= 0;
            fresh <= 1;
            head <= 0;
            filled <= 4;
        end else if (!busy) begin
            if (start) begin
                busy <= 1;
                present <= bank;
            end
            step <= 0;
            visit <= 0;
        end else begin
            step <= end_of_visit ? 6'd0 : step + 6'd1;
            if (end_of_visit) visit <= visit + 1;
            if (end_of_block) begin
                busy <= 0;
                fresh <= 0;
                head <= next_head;
                filled <= filled + 4 > FIR_TAPS ? FIR_TAPS : filled + 7'd4;
            end
        end
    end

    // The CIC: step 0 asks for the previous word, step 1 for the present one.
    wire [1:0] shown_bank = step == 0 ? present - 2'd1 : present;
    wire in_cic = busy && visit != CHANNELS;
    assign word_address = {shown_bank, visit[CHANNEL_BITS-1:0]};
    always @(posedge clock) begin
        load_previous <= in_cic && step == 1;
        load_current <= in_cic && step == 2;
        idle <= fresh;
        if (!in_cic || step < CIC_START) begin
            cic_active <= in_cic && step == CIC_START - 1;
            cic_part <= 0;
            cic_output <= 0;
        end else if (cic_part == 8) begin
            cic_part <= 0;
            cic_output <= cic_output + 1;
            if (cic_output == 3) cic_active <= 0;
        end else if (cic_active) cic_part <= cic_part + 1;
    end

    // The lanes store a sample in the next clock.
    reg [CIC_LATENCY-2:0] samples_under_way;
    wire stored = samples_under_way[CIC_LATENCY-2];
    always @(posedge clock) samples_under_way <= {samples_under_way[CIC_LATENCY-3:0], cic_active && cic_part == 8};

    // The FIR: pairs from the outside to the middle.
    reg [6:0] near_slot, far_slot, distance;
    reg [5:0] pair_step;
    reg [CHANNEL_BITS-1:0] fir_channel;
    wire in_fir = busy && visit != 0 && pair_step != FIR_STEPS;
    wire issue = in_fir && !stored;
    wire [6:0] store_slot = head + {5'd0, stored_index};
    wire [18:0] entry = fir_step(pair_step);
    wire [6:0] first_far = next_head + NEWEST;

    reg [CHANNEL_BITS-1:0] last_channel;
    reg signed [17:0] step_tap, next_tap;
    reg step_busy, step_first, step_last, next_busy, next_first, next_last, next_near_ok, next_far_ok;
    assign first_channel = last_channel == 0;

    always @(posedge clock) begin
        if (!busy || end_of_visit) begin
            pair_step <= 0;
            near_slot <= head + NEWEST;
            far_slot <= first_far;
            distance <= 0;
            stored_index <= 0;
            fir_channel <= visit[CHANNEL_BITS-1:0];
        end else begin
            if (stored) stored_index <= stored_index + 1;
            if (issue) begin
                pair_step <= pair_step + 1;
                if (entry[18]) begin
                    near_slot <= near_slot == 0 ? FIR_SLOTS - 1 : near_slot - 7'd1;
                    far_slot <= far_slot == FIR_SLOTS - 1 ? 7'd0 : far_slot + 7'd1;
                    distance <= distance + 1;
                end
            end
        end
        near <= stored ? {store_slot, visit[CHANNEL_BITS-1:0]} : {near_slot, fir_channel};
        far <= {far_slot, fir_channel};
        next_near_ok <= distance < filled;
        next_far_ok <= distance != FIR_TAPS / 2 && FIR_TAPS - 1 - distance < filled;
        {near_ok, far_ok} <= {next_near_ok, next_far_ok};
        step_tap <= entry[17:0];
        {step_busy, step_first, step_last} <= {issue, pair_step == 0, pair_step == FIR_STEPS - 1};
        next_tap <= step_tap;
        {next_busy, next_first, next_last} <= {step_busy, step_first, step_last};
        tap <= next_tap;
        {fir_busy, first, last} <= {next_busy, next_first, next_last};
        // A result that is still under way when run falls begins no block.
        if (!run) last_channel <= CHANNELS - 1;
        else if (issue && pair_step == FIR_STEPS - 1) last_channel <= fir_channel;
    end
endmodule
