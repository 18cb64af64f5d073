// The rows of a company's table whose ids all companies have, in one order that says nothing of any id.
//
// Who is common is found by include/sotto/protocol/sets/intersect.h. The pseudonym of a common id is made of its tag,
// which takes the secret keys of all companies: nobody can compute it from the id, not even a company that took part,
// once the alignment is over. Rows go by their pseudonyms. Another alignment makes other pseudonyms.
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
  std::size_t place;      // of the id among the company's own
  std::string pseudonym;  // 32 hex digits
};

struct Alignment {
  std::vector<std::uint64_t> sizes;  // of all companies' tables, by node
  std::vector<AlignedRow> rows;      // in the order of the pseudonyms, the same at all
  std::uint64_t rounds = 0;
  std::uint64_t bytes_sent = 0;  // headers included
  double seconds = 0;            // from the first round to the end
};

// `ids` are distinct and as all companies compare them. Errors are those of include/sotto/protocol/mesh/driver/run.h
// and of intersect.h.
[[nodiscard]] Alignment align_ids(net::Mesh& mesh, std::vector<std::string> ids, const net::DriverOptions& options,
                                  const protocols::OnIntersect& on_progress = {});

// What an alignment reads of a company's table, and what it leaves there.
//
// Into a folder go aligned.csv, the table's rows that are common, in the order of the pseudonyms, with the pseudonym in
// place of the id as the column `subject`; aligned.csv.order (apps/kit/files/row_order.h);
// aligned.csv.subjects, the own id of each row, for an account (apps/kit/account/subjects.h); and pseudonyms.csv,
// `id,subject`, each id as the table has it. All of them appear or none.

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
