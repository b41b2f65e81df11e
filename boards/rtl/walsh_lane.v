// Popcounts of a lane's time words, added with signs to Walsh coefficients: one adder, one coefficient a clock.
//
// | port   | meaning |
// |--------|---------|
// | word   | the time word to count; `count` comes with it |
// | others | walsh_control's outputs; `read_address` is the collector's while the engine rests |
// | coefficient | three clocks after read_address; -32 2^ORDER_BITS .. 32 2^ORDER_BITS |
//
// All but the word is the same for all lanes and comes from far, so each lane has its own registers behind it (`*_here`).
(* keep_hierarchy *)
module walsh_lane #(
    parameter CHANNEL_BITS = 5,
    parameter ORDER_BITS = 4
) (
    input  wire                             clock,
    input  wire [31:0]                      word,
    input  wire                             count,
    input  wire [CHANNEL_BITS+ORDER_BITS:0] read_address,
    input  wire [CHANNEL_BITS+ORDER_BITS:0] write_address,
    input  wire                             store,
    input  wire                             fresh,
    input  wire                             negative,
    output wire [31:0]                      coefficient
);
    localparam WIDTH = ORDER_BITS + 7;
    (* no_rw_check *) reg signed [WIDTH-1:0] sums [0:(2 << (CHANNEL_BITS + ORDER_BITS))-1];
    reg signed [WIDTH-1:0] sum, old;
    reg signed [6:0] value;
    reg count_here, store_here, fresh_here, negative_here;
    reg [CHANNEL_BITS+ORDER_BITS:0] read_here, write_here;
    reg [4:0] low_ones, high_ones;
    wire [4:0] low_count, high_count;

    popcount16 low_counter (.word(word[15:0]), .ones(low_count));
    popcount16 high_counter (.word(word[31:16]), .ones(high_count));

    wire [5:0] ones = low_ones + high_ones;
    wire signed [WIDTH-1:0] base = fresh_here ? {WIDTH{1'b0}} : old;
    wire signed [WIDTH-1:0] change = {{WIDTH-7{value[6]}}, value};
    assign coefficient = {{32-WIDTH{old[WIDTH-1]}}, old};

    always @(posedge clock) begin
        {count_here, read_here, write_here} <= {count, read_address, write_address};
        {store_here, fresh_here, negative_here} <= {store, fresh, negative};
    end

    always @(posedge clock) begin
        {low_ones, high_ones} <= {low_count, high_count};
        if (count_here) value <= {ones, 1'b0} - 7'd32;
        sum <= sums[read_here];
        old <= sum;
        if (store_here) sums[write_here] <= negative_here ? base - change : base + change;
    end
endmodule
