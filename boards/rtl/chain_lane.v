// A lane's link in the chain to the collector: what the mode makes of a channel is loaded in all lanes at once, then moves
// from lane to lane, a clock each. No lane is far from the next.
//
// | port   | meaning |
// |--------|---------|
// | decimating, counting | which of word, coefficient and result is shown; settled long before |
// | load   | in the next clock the lane's own value is loaded, else that of the lane behind |
// | next   | the lane behind |
// | shown  | to the lane before, or the collector |
//
// Latency: two clocks from word, coefficient or result to `shown`.
(* keep_hierarchy *)
module chain_lane #(
    parameter WITH_DECIMATOR = 1,
    parameter WITH_WALSH = 1
) (
    input  wire               clock,
    input  wire               decimating,
    input  wire               counting,
    input  wire [31:0]        word,
    input  wire [31:0]        coefficient,
    input  wire signed [24:0] result,
    input  wire               load,
    input  wire [31:0]        next,
    output reg  [31:0]        shown
);
    reg [31:0] value;
    reg decimating_here, counting_here, load_here;
    wire [31:0] unfiltered = WITH_WALSH && counting_here ? coefficient : word;

    always @(posedge clock) begin
        {decimating_here, counting_here, load_here} <= {decimating, counting, load};
        value <= WITH_DECIMATOR && decimating_here ? {{7{result[24]}}, result} : unfiltered;
        shown <= load_here ? value : next;
    end
endmodule
