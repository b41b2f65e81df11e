// A test bench: `peripherals` with its bus driven by lines of text on standard input.
//
//   write ADDRESS VALUE     a write (all numbers hexadecimal, but for counts)
//   read ADDRESS            prints `read VALUE`
//   wait CLOCKS             lets time go by
//   rows FILE               the sensors' rows from now on
//   blocks WORDS            pops that many words of the front end's FIFO, waiting for each; prints `word VALUE`
//   stall FROM TO           the link takes nothing between these clocks from now
//   power                   power off and on
//
// It also prints `frame BYTES...`, `reset` (the core's, when it begins), `out BYTE` and `finish VALUE` as they come.
// WORDS that do not come within 2^22 clocks are an error.
#include <cinttypes>
#include <memory>

#include "Vperipherals.h"
#include "devices.h"

namespace {
constexpr uint32_t STATUS = 0x20000010, DATA = 0x20000018;
constexpr uint64_t PATIENCE_CLOCKS = 1 << 22;

struct Bench {
    Vperipherals model;
    uint64_t now = 0;
    std::unique_ptr<Sensors> sensors = std::make_unique<Sensors>("", LINES / 8);
    Link link;
    bool was_reset = false;

    void clock() {
        model.clock = 0;
        model.eval();
        model.clock = 1;
        model.eval();
        now++;
        sensors->clock(model, now);
        if (const auto* frame = link.clock(model, now)) {
            printf("frame ");
            for (uint8_t byte : *frame) printf("%02x", byte);
            printf("\n");
        }
        if (model.core_reset && !was_reset) printf("reset\n");
        was_reset = model.core_reset;
        if (model.out_valid) printf("out %02x\n", model.out_byte);
        if (model.finished) printf("finish %08x\n", model.finish_value);
    }
    void power_on() {
        model.power_on = 1;
        clock();
        model.power_on = 0;
        while (model.core_reset) clock();
    }
    uint32_t access(uint32_t address, uint32_t value, int strobes) {
        model.valid = 1;
        model.address = address;
        model.wdata = value;
        model.strobes = strobes;
        uint64_t patience = 1000;
        do {
            clock();
            if (!--patience) { fprintf(stderr, "no answer from %08x\n", address); exit(3); }
        } while (!model.ready);
        const uint32_t answer = model.rdata;
        // The master takes the answer in the clock after.
        model.valid = 0;
        clock();
        return answer;
    }
    void pop(uint64_t words) {
        uint64_t there = 0;
        const uint64_t until = now + PATIENCE_CLOCKS;
        while (words) {
            while (!there) {
                there = access(STATUS, 0, 0) & 0xffff;
                if (now > until && !there) { fprintf(stderr, "%" PRIu64 " words did not come\n", words); exit(3); }
            }
            for (; there && words; there--, words--) printf("word %08x\n", access(DATA, 0, 0));
        }
    }
    bool command(const char* line) {
        char file[4096];
        uint32_t address, value;
        uint64_t a, b;
        if (sscanf(line, "write %x %x", &address, &value) == 2) access(address, value, 15);
        else if (sscanf(line, "read %x", &address) == 1) printf("read %08x\n", access(address, 0, 0));
        else if (sscanf(line, "wait %" SCNu64, &a) == 1) while (a--) clock();
        else if (sscanf(line, "rows %4095s", file) == 1) sensors = std::make_unique<Sensors>(file, LINES / 8);
        else if (sscanf(line, "blocks %" SCNu64, &a) == 1) pop(a);
        else if (sscanf(line, "stall %" SCNu64 " %" SCNu64, &a, &b) == 2) link.stall_from = now + a, link.stall_to = now + b;
        else if (!strncmp(line, "power", 5)) power_on();
        else return false;
        return true;
    }
};
}  // namespace

int main() {
    auto bench = std::make_unique<Bench>();
    bench->power_on();
    char line[4200];
    while (fgets(line, sizeof line, stdin)) {
        if (!bench->command(line)) { fprintf(stderr, "no such command: %s", line); return 2; }
    }
    return 0;
}
