// Tables whose rows are about steps t, about arms, or about pairs of both, in any order.
//
// Steps are consecutive integers from 0 or from 1, arms the integers 0 .. K-1 with K at most max_arms
// (apps/kit/data/environment.h). Every step, arm or pair has exactly one row. Errors are InputError and name file:line:
// the second of two rows, or the row before which one is missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sotto/apps/kit/files/table.h"

namespace sotto::apps {

struct LongForm {
  std::size_t steps = 1;
  std::size_t arms = 1;
  std::uint64_t first_step = 0;   // as the file counts: 0 or 1
  std::vector<std::size_t> rows;  // [t][arm], with t from 0: the number of the row in the table
};

// The columns are numbers of table.columns; without t there is one step, without arm one arm. The work and the memory
// are those of sorting the rows, whatever the numbers in them.
[[nodiscard]] LongForm index_rows(const Table& table, std::optional<std::size_t> t_column,
                                  std::optional<std::size_t> arm_column);

}  // namespace sotto::apps
