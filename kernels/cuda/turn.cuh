// Radians as turns.
#pragma once

// 1/(2 pi) to twice the digits.
constexpr double TURN = 0.15915494309189535, TURN_REST = -9.8393383375919e-18;
