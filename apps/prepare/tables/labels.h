// The label of each row of a table: the number of the arm that is best in it.
//
// ArmLabels may be whole numbers from 0 without gaps, which are the arms, or any texts or whole numbers, which are then
// numbered: whole numbers by size (labels from 1, and 0, 10 and 20, become arms from 0), texts by the alphabet. Errors
// are InputError and name file:line:cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/prepare/tables/cell.h"
#include "apps/prepare/tables/text_table.h"

namespace sotto::apps::prepare {

struct ArmLabels {
  std::vector<std::uint32_t> arms;  // by row
  std::size_t count = 0;            // of arms
  std::vector<std::string> texts;   // by arm, where the label is not the number of the arm; else empty
  std::string warning;              // of numbers that look like arms, and were numbered anew; else empty
};

// `known` has the texts of an earlier table (ArmLabels::texts): a label that is not among them is refused, and without
// any the labels are the numbers of arms.
[[nodiscard]] ArmLabels read_labels(const TextTable& table, std::size_t column, const CellForm& form,
                                    const std::optional<std::vector<std::string>>& known = std::nullopt);

}  // namespace sotto::apps::prepare
