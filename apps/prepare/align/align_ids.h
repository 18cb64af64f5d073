// The rows of a company's table whose ids all companies have, in one order that reveals nothing of any id.
//
// include/sotto/protocol/sets/intersect.h finds the common ids. The pseudonym of a common id is made from its tag,
// which takes the secret keys of all companies. So nobody can compute a pseudonym from the id once the alignment is
// over, not even a company that took part. Rows are in the order of their pseudonyms. Another alignment makes other
// pseudonyms.
//
// Rounds and bytes are those of intersect.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/kit/files/output_file.h"
#include "apps/kit/files/row_order.h"
#include "apps/prepare/tables/text_table.h"
#include "sotto/protocol/mesh/driver/options.h"
#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/sets/intersect.h"

namespace sotto::apps::prepare {

struct AlignedRow {
  std::size_t place;      // place of the id among the company's own ids
  std::string pseudonym;  // 32 hex digits
};

struct Alignment {
  std::vector<std::uint64_t> sizes;  // sizes of all companies' tables, by node
  std::vector<AlignedRow> rows;  // the common rows in the order of the pseudonyms, which is the same at all companies
  std::uint64_t rounds = 0;
  std::uint64_t bytes_sent = 0;  // number of bytes sent, headers included
  double seconds = 0;            // time from the first round to the end
};

// `ids` are distinct, and in the form in which all companies compare them. Errors are those of
// include/sotto/protocol/mesh/driver/run.h and of intersect.h.
[[nodiscard]] Alignment align_ids(net::Mesh& mesh, std::vector<std::string> ids, const net::DriverOptions& options,
                                  const protocols::OnIntersect& on_progress = {});

// The ids that an alignment reads from a company's table, and the files that it leaves there.
//
// The folder gets four files; either all of them appear or none:
// - aligned.csv: the table's common rows in the order of the pseudonyms. The column `subject` has the pseudonym and
//   replaces the id.
// - aligned.csv.order: the order of its rows (apps/kit/files/row_order.h).
// - aligned.csv.subjects: the own id of each row, for an account (apps/kit/account/subjects.h).
// - pseudonyms.csv: `id,subject`, each id as the table has it.

inline constexpr const char* subject_column = "subject";

// The ids by row, in the form in which they are compared. Throws InputError if an id is missing, if an id comes twice
// (naming both lines), or if there are more ids than an alignment takes. Also throws InputError if another column is
// called `subject`. The error never shows an id.
[[nodiscard]] std::vector<std::string> read_ids(const TextTable& table, std::size_t id_column, const IdForm& form);

[[nodiscard]] std::filesystem::path aligned_file(const std::filesystem::path& folder);
[[nodiscard]] std::filesystem::path pseudonyms_file(const std::filesystem::path& folder);

// The files for write_files(). They use the table's separator between cells.
[[nodiscard]] std::vector<NewFile> aligned_files(const TextTable& table, std::size_t id_column,
                                                 const std::vector<AlignedRow>& rows,
                                                 const std::filesystem::path& folder);

}  // namespace sotto::apps::prepare
