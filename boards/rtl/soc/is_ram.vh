// Whether an address lies in the RAM: 256 KiB at 0x8000_0000, and again at 0x4000_0000.
function is_ram(input [31:0] address);
    is_ram = address[31:18] == 14'h2000 || address[31:18] == 14'h1000;
endfunction
