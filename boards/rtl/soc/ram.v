// The SoC's RAM: 2^WORD_BITS words of 32 bits with two ports, one of them read-only; data one clock after the address.
// A reset leaves it as it is.
module ram #(
    parameter WORD_BITS = 16
) (
    input  wire                 clock,
    input  wire [WORD_BITS-1:0] fetch_address,
    output reg  [31:0]          fetched,
    input  wire [WORD_BITS-1:0] address,
    input  wire [3:0]           strobes,
    input  wire [31:0]          wdata,
    output reg  [31:0]          rdata
);
    reg [31:0] words [0:(1<<WORD_BITS)-1];

    always @(posedge clock) begin
        fetched <= words[fetch_address];
        rdata <= words[address];
        if (strobes[0]) words[address][7:0] <= wdata[7:0];
        if (strobes[1]) words[address][15:8] <= wdata[15:8];
        if (strobes[2]) words[address][23:16] <= wdata[23:16];
        if (strobes[3]) words[address][31:24] <= wdata[31:24];
    end
endmodule
