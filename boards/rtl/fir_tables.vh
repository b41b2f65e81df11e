// Made from dsp-core by `cargo run --package tests --example rtl_tables`; do not edit.
// The FIR's length, the samples kept for it, its steps, and the bits dropped at the output.
localparam FIR_TAPS = 93;
localparam FIR_SLOTS = 96;
localparam FIR_STEPS = 51;
localparam FIR_SHIFT = 11;

// {go on to the next pair, tap}
function [18:0] fir_step(input [5:0] step);
    case (step)
        0: fir_step = {1'b1, 18'sd25};
        1: fir_step = {1'b1, 18'sd62};
        2: fir_step = {1'b1, 18'sd100};
        3: fir_step = {1'b1, 18'sd111};
        4: fir_step = {1'b1, 18'sd39};
        5: fir_step = {1'b1, -18'sd105};
        6: fir_step = {1'b1, -18'sd285};
        7: fir_step = {1'b1, -18'sd364};
        8: fir_step = {1'b1, -18'sd237};
        9: fir_step = {1'b1, 18'sd141};
        10: fir_step = {1'b1, 18'sd617};
        11: fir_step = {1'b1, 18'sd910};
        12: fir_step = {1'b1, 18'sd709};
        13: fir_step = {1'b1, -18'sd68};
        14: fir_step = {1'b1, -18'sd1144};
        15: fir_step = {1'b1, -18'sd1893};
        16: fir_step = {1'b1, -18'sd1671};
        17: fir_step = {1'b1, -18'sd243};
        18: fir_step = {1'b1, 18'sd1873};
        19: fir_step = {1'b1, 18'sd3506};
        20: fir_step = {1'b1, 18'sd3392};
        21: fir_step = {1'b1, 18'sd1019};
        22: fir_step = {1'b1, -18'sd2787};
        23: fir_step = {1'b1, -18'sd5973};
        24: fir_step = {1'b1, -18'sd6262};
        25: fir_step = {1'b1, -18'sd2593};
        26: fir_step = {1'b1, 18'sd3813};
        27: fir_step = {1'b1, 18'sd9598};
        28: fir_step = {1'b1, 18'sd10854};
        29: fir_step = {1'b1, 18'sd5514};
        30: fir_step = {1'b1, -18'sd4817};
        31: fir_step = {1'b1, -18'sd14896};
        32: fir_step = {1'b1, -18'sd18222};
        33: fir_step = {1'b1, -18'sd10826};
        34: fir_step = {1'b1, 18'sd5559};
        35: fir_step = {1'b1, 18'sd23065};
        36: fir_step = {1'b1, 18'sd30912};
        37: fir_step = {1'b1, 18'sd21219};
        38: fir_step = {1'b1, -18'sd5439};
        39: fir_step = {1'b1, -18'sd37955};
        40: fir_step = {1'b1, -18'sd57977};
        41: fir_step = {1'b1, -18'sd47753};
        42: fir_step = {1'b1, 18'sd833};
        43: fir_step = {1'b1, 18'sd80519};
        44: fir_step = {1'b0, 18'sd131071};
        45: fir_step = {1'b1, 18'sd38432};
        46: fir_step = {1'b0, 18'sd131071};
        47: fir_step = {1'b1, 18'sd108089};
        48: fir_step = {1'b0, 18'sd131071};
        49: fir_step = {1'b0, 18'sd131071};
        50: fir_step = {1'b1, 18'sd3348};
        default: fir_step = 0;
    endcase
endfunction
