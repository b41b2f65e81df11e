// The SoC as a program: soc-CORE of `cargo xtask soc`.
//
//   soc-CORE --image FILE --max-cycles N [--capture FILE] [--uplink FILE] [--console-in FILE] [--console-out FILE]
//            [--report FILE] [--fault uplink-stall:FROM:TO]
//
// Files may be pipes. The image is what lies in the RAM when the power comes. Capture: packed rows, LINES / 8 bytes for each bit
// time; at their end the bit clock stands still. Uplink: each frame behind its length in bytes as a 32-bit little-endian
// number. A stall is between two clocks, counted from the first frame. The report is JSON. The exit status is
// the firmware's code (at most 125), 124 where the clocks ran out, 2 for wrong arguments.
#include <algorithm>
#include <cinttypes>
#include <map>
#include <memory>

#include "Vsoc.h"
#include "devices.h"

namespace {
constexpr size_t RAM_BYTES = 256 << 10;
constexpr int OUT_OF_CLOCKS = 124;
// Enough for a full uplink.
constexpr uint64_t DRAIN_CLOCKS = 1 << 12;

[[noreturn]] void refuse(const std::string& why) {
    fprintf(stderr, "%s\n", why.c_str());
    exit(2);
}

std::map<std::string, std::string> arguments(int count, char** words) {
    std::map<std::string, std::string> all{{"--capture", ""}, {"--uplink", ""}, {"--console-in", ""}, {"--console-out", ""},
                                           {"--report", ""}, {"--fault", ""}, {"--image", ""}, {"--max-cycles", ""}};
    for (int i = 1; i < count; i += 2) {
        if (!all.count(words[i])) refuse(std::string("no such argument: ") + words[i]);
        if (i + 1 == count) refuse(std::string("a value is missing: ") + words[i]);
        all[words[i]] = words[i + 1];
    }
    for (const char* name : {"--image", "--max-cycles"}) if (all[name].empty()) refuse(std::string("needed: ") + name);
    return all;
}

std::vector<uint32_t> read_image(const std::string& path) {
    FILE* file = fopen(path.c_str(), "rb");
    if (!file) refuse("cannot read " + path);
    std::vector<uint8_t> image(RAM_BYTES + 1);
    image.resize(fread(image.data(), 1, image.size(), file));
    fclose(file);
    if (image.size() > RAM_BYTES) refuse(path + " does not fit the RAM");
    std::vector<uint32_t> words(std::max<size_t>(1, (image.size() + 3) / 4));
    memcpy(words.data(), image.data(), image.size());
    return words;
}

class Machine {
  public:
    explicit Machine(std::map<std::string, std::string> options)
        : options_(std::move(options)), sensors_(options_["--capture"], LINES / 8), console_(options_["--console-in"]) {
        if (!options_["--uplink"].empty()) uplink_ = open_output(options_["--uplink"]);
        if (!options_["--console-out"].empty()) out_ = open_output(options_["--console-out"]);
        const std::string& fault = options_["--fault"];
        if (!fault.empty() &&
            sscanf(fault.c_str(), "uplink-stall:%" SCNu64 ":%" SCNu64, &link_.stall_from, &link_.stall_to) != 2)
            refuse("no such fault: " + fault);
        load(read_image(options_["--image"]));
    }

    int run() {
        const uint64_t limit = strtoull(options_["--max-cycles"].c_str(), nullptr, 0);
        while (!finished_ && now_ < limit) clock();
        const uint64_t cycles = now_;
        // What the firmware had committed still goes out.
        while (finished_ && now_ < cycles + DRAIN_CLOCKS) clock();
        const int code = !finished_ ? OUT_OF_CLOCKS : value_ == 0x5555 ? 0 : value_ >> 16 & 0x7f;
        report(cycles, code);
        for (FILE* file : {uplink_, out_}) if (file) fclose(file);
        return code;
    }

  private:
    void edge() {
        model_.clock = 0;
        model_.eval();
        model_.clock = 1;
        model_.eval();
    }

    // The power comes: the image goes into the RAM, which is 0 behind it, then the clocks are counted.
    void load(const std::vector<uint32_t>& image) {
        model_.power_on = 1;
        model_.load = 1;
        for (size_t i = 0; i < image.size(); i++) {
            model_.load_address = i;
            model_.load_data = image[i];
            edge();
        }
        model_.load = 0;
        model_.power_on = 0;
    }

    void clock() {
        edge();
        now_++;
        sensors_.clock(model_, now_);
        console_.clock(model_, now_);
        if (!framed_ && model_.frame_bytes) {
            framed_ = true;
            link_.stall_from += now_;
            link_.stall_to += now_;
        }
        if (const auto* frame = link_.clock(model_, now_)) send(*frame);
        if (model_.out_valid && out_) {
            fputc(model_.out_byte, out_);
            unflushed_ = true;
        }
        if (unflushed_ && now_ % POLL_CLOCKS == 0) {
            fflush(out_);
            unflushed_ = false;
        }
        instructions_ += !finished_ && model_.now_retired;
        lost_ += model_.block_lost;
        resets_ += model_.core_reset && !was_reset_;
        was_reset_ = model_.core_reset;
        if (model_.finished && !finished_) {
            finished_ = true;
            value_ = model_.finish_value;
        }
    }

    void send(const std::vector<uint8_t>& frame) {
        frames_++;
        if (!uplink_) return;
        const uint32_t length = frame.size();
        fwrite(&length, sizeof length, 1, uplink_);
        fwrite(frame.data(), 1, frame.size(), uplink_);
        fflush(uplink_);
    }

    void report(uint64_t cycles, int code) {
        if (options_["--report"].empty()) return;
        FILE* file = open_output(options_["--report"]);
        fprintf(file,
                "{\"cycles\": %" PRIu64 ", \"instructions\": %" PRIu64 ", \"bits_captured\": %" PRIu64
                ", \"blocks_lost\": %" PRIu64 ", \"frames\": %" PRIu64 ", \"resets\": %" PRIu64
                ", \"finished\": %s, \"exit_code\": %d}\n",
                cycles, instructions_, sensors_.rows, lost_, frames_, resets_, finished_ ? "true" : "false", code);
        fclose(file);
    }

    std::map<std::string, std::string> options_;
    Vsoc model_;
    Sensors sensors_;
    Link link_;
    ConsoleInput console_;
    FILE* uplink_ = nullptr;
    FILE* out_ = nullptr;
    uint64_t now_ = 0, instructions_ = 0, lost_ = 0, resets_ = 0, frames_ = 0;
    uint32_t value_ = 0;
    bool finished_ = false, framed_ = false, was_reset_ = true, unflushed_ = false;
};
}  // namespace

int main(int count, char** words) {
    return std::make_unique<Machine>(arguments(count, words))->run();
}
