// How many of 16 bits are 1, as a tree of adders; no clock.
module popcount16 (
    input  wire [15:0] word,
    output wire [4:0]  ones
);
    function [2:0] of_four(input [3:0] b);
        of_four = {2'b0, b[0]} + {2'b0, b[1]} + {2'b0, b[2]} + {2'b0, b[3]};
    endfunction
    wire [3:0] low = {1'b0, of_four(word[3:0])} + {1'b0, of_four(word[7:4])};
    wire [3:0] high = {1'b0, of_four(word[11:8])} + {1'b0, of_four(word[15:12])};
    assign ones = {1'b0, low} + {1'b0, high};
endmodule
