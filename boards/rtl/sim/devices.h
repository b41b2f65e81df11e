// What stands at the pins of `peripherals` in a simulation: sensors, a link, a console. Each is told of a clock that has
// just risen, reads the model's outputs and sets its inputs for the next one.
//
// Files and pipes are polled, so that a simulation never waits: a pipe without a row holds the bit clock, a pipe without a
// byte is an idle console. With ordinary files every run has the same clocks.
#pragma once
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

// Clocks between two looks at an input that had nothing.
constexpr uint64_t POLL_CLOCKS = 1024;

inline int open_input(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_NONBLOCK);
    if (file < 0) { perror(path.c_str()); exit(2); }
    return file;
}

inline FILE* open_output(const std::string& path) {
    FILE* file = fopen(path.c_str(), "wb");
    if (!file) { perror(path.c_str()); exit(2); }
    return file;
}

// Bytes of a file or pipe, as many as are there.
class Input {
  public:
    explicit Input(const std::string& path) : file_(path.empty() ? -1 : open_input(path)) {}
    ~Input() { if (file_ >= 0) close(file_); }
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;

    // `count` bytes, or null where they have not come yet.
    const uint8_t* peek(size_t count, uint64_t clock) {
        if (held_.size() - used_ < count && clock >= next_look_) fill(count, clock);
        return held_.size() - used_ < count ? nullptr : held_.data() + used_;
    }
    void take(size_t count) { used_ += count; }

  private:
    void fill(size_t count, uint64_t clock) {
        held_.erase(held_.begin(), held_.begin() + used_);
        used_ = 0;
        uint8_t buffer[65536];
        const ssize_t got = file_ < 0 ? 0 : read(file_, buffer, sizeof buffer);
        if (got > 0) held_.insert(held_.end(), buffer, buffer + got);
        if (held_.size() < count) next_look_ = clock + POLL_CLOCKS;
    }
    int file_;
    std::vector<uint8_t> held_;
    size_t used_ = 0;
    uint64_t next_look_ = 0;
};

// The sensors: a row of LINES bits for each rise of the bit clock, from packed rows.
class Sensors {
  public:
    Sensors(const std::string& path, size_t row_bytes) : input_(path), row_bytes_(row_bytes) {}
    uint64_t rows = 0;

    template <class Model> void clock(Model& model, uint64_t now) {
        if (model.bit_clock && !before_) {
            const uint8_t* row = input_.peek(row_bytes_, now);
            if (row) {
                memcpy(&model.lines, row, row_bytes_);
                input_.take(row_bytes_);
                rows++;
            }
        }
        before_ = model.bit_clock;
        model.bit_enable = input_.peek(row_bytes_, now) != nullptr;
    }

  private:
    Input input_;
    size_t row_bytes_;
    bool before_ = false;
};

// The link: takes whole frames, a word a clock; not in the clocks of a stall.
class Link {
  public:
    uint64_t stall_from = 0, stall_to = 0;

    // The bytes of a frame that is through, else null.
    template <class Model> const std::vector<uint8_t>* clock(Model& model, uint64_t now) {
        const bool stalled = now >= stall_from && now < stall_to;
        model.release_frame = 0;
        // The word of a `take` is there with the next clock.
        if (asked_) {
            for (int byte = 0; byte < 4; byte++) bytes_.push_back(model.word >> (8 * byte) & 255);
        }
        asked_ = left_ > 0;
        model.take = asked_;
        if (asked_) {
            left_--;
            return nullptr;
        }
        if (length_) {
            bytes_.resize(length_);
            done_.swap(bytes_);
            bytes_.clear();
            length_ = 0;
            model.release_frame = 1;
            pause_ = 2;
            return &done_;
        }
        if (pause_) { pause_--; return nullptr; }
        if (model.frame_bytes && !stalled) {
            length_ = model.frame_bytes;
            left_ = (length_ + 3) / 4;
        }
        return nullptr;
    }

  private:
    std::vector<uint8_t> bytes_, done_;
    size_t length_ = 0, left_ = 0;
    int pause_ = 0;
    bool asked_ = false;
};

// The console: bytes in from a pipe.
class ConsoleInput {
  public:
    explicit ConsoleInput(const std::string& path) : input_(path) {}
    template <class Model> void clock(Model& model, uint64_t now) {
        if (model.in_take) input_.take(1);
        const uint8_t* byte = input_.peek(1, now);
        model.in_valid = byte != nullptr;
        if (byte) model.in_byte = *byte;
    }

  private:
    Input input_;
};
