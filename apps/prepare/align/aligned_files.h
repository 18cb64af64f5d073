// What an alignment reads of a company's table, and what it leaves there.
//
// Into a folder go aligned.csv, the table's rows that are common, in the order of the pseudonyms, with the pseudonym in
// place of the id as the column `subject`; aligned.csv.order (apps/kit/files/row_order.h); and pseudonyms.csv,
// `id,subject`, each id as the table has it. All of them appear or none.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/kit/files/atomic_file.h"
#include "apps/kit/files/id_form.h"
#include "apps/prepare/align/align_ids.h"
#include "apps/prepare/tables/text_table.h"

namespace sotto::apps::prepare {

inline constexpr const char* subject_column = "subject";

// The ids by row as they are compared. Throws InputError, which never shows an id: one is missing, one comes twice
// (naming both lines), there are more than an alignment takes, or another column is called `subject`.
[[nodiscard]] std::vector<std::string> read_ids(const TextTable& table, std::size_t id_column, const IdForm& form);

[[nodiscard]] std::filesystem::path aligned_file(const std::filesystem::path& folder);
[[nodiscard]] std::filesystem::path pseudonyms_file(const std::filesystem::path& folder);

// For write_files(). Cells are separated as the table's are.
[[nodiscard]] std::vector<NewFile> aligned_files(const TextTable& table, std::size_t id_column,
                                                 const std::vector<AlignedRow>& rows,
                                                 const std::filesystem::path& folder);

}  // namespace sotto::apps::prepare
