// The sensors' bit clock, and when to look at their lines.
//
// | port      | unit          | meaning |
// |-----------|---------------|---------|
// | run       |               | low: the bit clock stands low, the next bit time begins anew |
// | enable    |               | looked at before each bit time: low holds the bit clock (an external trigger or gate) |
// | divider   | system clocks | length of a bit time, 2 or more; the high half has divider / 2 of them |
// | bit_clock |               | to the sensors, from a register |
// | sample    |               | high for the last system clock of the high half |
//
// A PDM microphone drives its line while the clock is high (or low, by its select pin), so the end of that half is when
// the line has been stable longest. Latency: bit_clock rises one clock after the first clock of the bit time.
module clock_divider (
    input  wire        clock,
    input  wire        run,
    input  wire        enable,
    input  wire [15:0] divider,
    output reg         bit_clock,
    output reg         sample
);
    reg [15:0] count;
    wire first = count == 0;

    always @(posedge clock) begin
        bit_clock <= run && (first ? enable : count < (divider >> 1));
        sample <= run && count + 1 == (divider >> 1) && (!first || enable);
        if (!run || count + 1 == divider) count <= 0;
        else if (!first || enable) count <= count + 1;
    end
endmodule
