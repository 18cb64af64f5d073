// Rows of numbers from a CSV file with or without a header line: a first line whose cells are all
// numbers is data. Otherwise the format, the limits and the errors of apps/kit/files/table.h.
//
// Without a header, columns are named "1", "2" and so on, as in error messages, and the first line
// says how many there are.
#pragma once

#include <filesystem>

#include "sotto/apps/kit/files/table.h"

namespace sotto::apps {

[[nodiscard]] Table read_number_rows(const std::filesystem::path& path, const IsText& is_text = {},
                                     const TableLimits& limits = {});

}  // namespace sotto::apps
