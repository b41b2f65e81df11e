// What looks after the core: watchdog, reset with a code that survives it, counters.
//
// | port | meaning |
// |------|---------|
// | power_on | clears everything, the reset code too |
// | retired  | an instruction was retired in this clock; 0 where the core cannot say |
// | core_reset | high for 16 clocks: resets the core and its devices, not the RAM |
// | others   | the bus, see front_end.v |
//
// A reset by the watchdog sets the code to "WDOG" (0x474f_4457) and switches the watchdog off.
module supervisor (
    input  wire        clock,
    input  wire        power_on,
    input  wire        retired,
    output wire        core_reset,
    input  wire        select,
    input  wire        write,
    input  wire [4:2]  address,
    input  wire [31:0] wdata,
    output reg         ready,
    output reg  [31:0] rdata
);
    localparam [2:0] ID = 0, WATCHDOG = 1, KICK = 2, CODE = 3, RESET = 4, CYCLES = 5, CYCLES_HIGH = 6, RETIRED = 7;

    reg [31:0] limit, left, code, instructions, high;
    reg [63:0] cycles;
    reg [4:0] resetting;
    wire stores = select && !ready && write;
    wire expires = limit != 0 && left == 0 && resetting == 0;
    assign core_reset = resetting != 0;

    always @(posedge clock) begin
        ready <= select && !ready && !core_reset;
        case (address)
            ID: rdata <= 32'h5655_5046;
            WATCHDOG: rdata <= limit;
            CODE: rdata <= code;
            CYCLES: rdata <= cycles[31:0];
            CYCLES_HIGH: rdata <= high;
            RETIRED: rdata <= instructions;
            default: rdata <= 0;
        endcase
        // Both halves of one instant: the low one is read first.
        if (select && !ready && address == CYCLES) high <= cycles[63:32];
        cycles <= power_on ? 64'd0 : cycles + 64'd1;
        if (power_on) instructions <= 0;
        else if (retired) instructions <= instructions + 1;
    end

    always @(posedge clock) begin
        if (power_on) begin
            {limit, left, code} <= 0;
            resetting <= 16;
        end else if (resetting != 0) begin
            resetting <= resetting - 1;
            limit <= 0;
        end else if (expires) begin
            resetting <= 16;
            code <= 32'h474f_4457;
        end else begin
            if (left != 0) left <= left - 1;
            if (stores && address == WATCHDOG) {limit, left} <= {wdata, wdata};
            if (stores && address == KICK) left <= limit;
            if (stores && address == CODE) code <= wdata;
            if (stores && address == RESET && wdata[0]) resetting <= 16;
        end
    end
endmodule
