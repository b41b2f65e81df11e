// Verilator's library, as one file for all programs.
#include "verilated.cpp"
#include "verilated_dpi.cpp"
#include "verilated_threads.cpp"
