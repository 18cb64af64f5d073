// The demo as a whole, from the digits to the report.
#pragma once

#include <cstdint>
#include <filesystem>

namespace sotto::apps::bandit::demo {

// Plays `steps` steps, prints the result, and leaves the data in out/data and the report in out/run. Throws the errors
// of digits.h, roles.h and result.h, and InputError if there are too many steps or `out` holds earlier results.
void run_demo(const std::filesystem::path& out, std::uint64_t steps);

}  // namespace sotto::apps::bandit::demo
