// Numbers of advice: few digits, and never less than what was worked out, so that who follows the advice to the letter
// is not refused.
#pragma once

#include <string>

namespace sotto::apps {

// A finite number above 0, rounded up to so many significant digits; within 1e-9 of a round
// number it is that number. Other values are given back.
[[nodiscard]] double rounded_up(double value, int digits);

// As text, in four digits: "1.415".
[[nodiscard]] std::string advised(double value);

}  // namespace sotto::apps
