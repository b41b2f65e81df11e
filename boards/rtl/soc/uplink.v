// Frames out: the core writes words and commits them as a frame; a link takes whole frames.
//
// | port | meaning |
// |------|---------|
// | select, write, address, wdata, ready, rdata | the bus, see front_end.v |
// | frame_bytes | length of the oldest committed frame, bytes; 0: there is none |
// | take  | the link takes a word: in `word` one clock later |
// | release_frame | the link is through with the frame, all of whose words it has taken |
//
// A frame that does not fit, or whose length is not that of its words, is dropped and counted. A reset drops what is not
// committed; committed frames still go out.
module uplink #(
    parameter WORD_BITS = 10,
    parameter FRAME_BITS = 4
) (
    input  wire        clock,
    input  wire        reset,
    input  wire        power_on,
    input  wire        select,
    input  wire        write,
    input  wire [4:2]  address,
    input  wire [31:0] wdata,
    output reg         ready,
    output reg  [31:0] rdata,
    output wire [15:0] frame_bytes,
    input  wire        take,
    output reg  [31:0] word,
    input  wire        release_frame
);
    localparam [2:0] ID = 0, ROOM = 1, DATA = 2, END = 3, DROPPED = 4;
    localparam [WORD_BITS:0] WORDS = 1 << WORD_BITS;
    localparam [FRAME_BITS:0] FRAMES = 1 << FRAME_BITS;

    reg [31:0] memory [0:WORDS-1];
    reg [15:0] lengths [0:FRAMES-1];
    reg [WORD_BITS:0] front, committed, back;
    reg [FRAME_BITS:0] oldest, newest;
    reg [31:0] dropped;
    reg bad;

    wire frames_full = newest - oldest == FRAMES;
    wire [WORD_BITS:0] room = frames_full ? 0 : WORDS - (back - front);
    wire stores = select && !ready && write;
    wire adds = stores && address == DATA;
    wire ends = stores && address == END;
    wire [WORD_BITS:0] written = back - committed;
    wire right_length = wdata != 0 && ((wdata + 3) >> 2) == {{31-WORD_BITS{1'b0}}, written};
    wire good = right_length && !bad && !frames_full;
    assign frame_bytes = newest == oldest ? 16'd0 : lengths[oldest[FRAME_BITS-1:0]];

    always @(posedge clock) begin
        ready <= select && !ready && !reset;
        case (address)
            ID: rdata <= 32'h3150_5546;
            ROOM: rdata <= {{31-WORD_BITS{1'b0}}, room};
            DROPPED: rdata <= dropped;
            default: rdata <= 0;
        endcase
        if (adds && room != 0) memory[back[WORD_BITS-1:0]] <= wdata;
        word <= memory[front[WORD_BITS-1:0]];
        if (ends && good) lengths[newest[FRAME_BITS-1:0]] <= wdata[15:0];
    end

    always @(posedge clock) begin
        if (power_on) begin
            {front, oldest, newest, committed, back, dropped, bad} <= 0;
        end else begin
            if (take) front <= front + 1;
            if (release_frame) oldest <= oldest + 1;
            if (reset) begin
                back <= committed;
                bad <= 0;
            end else if (adds) begin
                if (room != 0) back <= back + 1;
                else bad <= 1;
            end else if (ends) begin
                bad <= 0;
                if (good) begin
                    committed <= back;
                    newest <= newest + 1;
                end else begin
                    back <= committed;
                    dropped <= dropped + 1;
                end
            end
        end
    end
endmodule
