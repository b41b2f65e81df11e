// A test bench of cic_integrators: time words of all channels in, samples out, both as they lie in memory (little-endian).
//
// Standard input: for each group of 32 bit times one 32-bit word a channel. Standard output: for each eight bit times one
// 16-bit sample a channel, in the order of the channels.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#include "Vcic_integrators.h"

constexpr int CHANNELS = 64;
constexpr int DRAIN_CLOCKS = 8;

int main() {
    auto model = std::make_unique<Vcic_integrators>();
    const auto clock = [&] {
        model->clock = 0;
        model->eval();
        model->clock = 1;
        model->eval();
        if (model->sample_valid) {
            const uint16_t sample = model->sample;
            fwrite(&sample, sizeof sample, 1, stdout);
        }
    };
    std::vector<uint32_t> words(CHANNELS);
    bool first = true;
    while (fread(words.data(), sizeof(uint32_t), CHANNELS, stdin) == CHANNELS) {
        for (int bit = 0; bit < 32; bit++) {
            for (int channel = 0; channel < CHANNELS; channel++) {
                model->valid = 1;
                model->clear = first && bit == 0;
                model->combing = bit % 8 == 7;
                model->channel = channel;
                model->one_bit = words[channel] >> bit & 1;
                clock();
            }
        }
        first = false;
    }
    model->valid = 0;
    for (int i = 0; i < DRAIN_CLOCKS; i++) clock();
    return 0;
}
