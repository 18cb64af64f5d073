// Finds the rows of a company's table whose ids all companies have. The rows come in an order that reveals nothing
// about any id, and that is the same at all companies.
//
// include/sotto/protocol/sets/intersect.h finds the common ids. The pseudonym of a common id is made from the id's tag,
// which nobody can compute without the secret keys of all companies. After the alignment, therefore, nobody can compute
// a pseudonym from an id, not even a company that took part. Rows are in the order of their pseudonyms. Each alignment
// makes new pseudonyms.
//
// The rounds and bytes of an alignment are those of intersect.h.
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
  std::size_t place;      // index of the row's id in the company's own list of ids
  std::string pseudonym;  // 32 hex digits
};

struct Alignment {
  std::vector<std::uint64_t> sizes;  // sizes of all companies' tables, by node
  std::vector<AlignedRow> rows;      // the common rows; their order, by pseudonym, is the same at all companies
  std::uint64_t rounds = 0;
  std::uint64_t bytes_sent = 0;  // number of bytes sent, headers included
  double seconds = 0;            // time from the first round to the end
};

// `ids` must be distinct, and in the form in which all companies compare ids. The function align_ids() throws the
// errors of include/sotto/protocol/mesh/driver/run.h and of intersect.h.
[[nodiscard]] Alignment align_ids(net::Mesh& mesh, std::vector<std::string> ids, const net::DriverOptions& options,
                                  const protocols::OnIntersect& on_progress = {});

// The ids that an alignment reads from a company's table, and the files that the alignment writes for the company.
//
// The output folder gets these files. Either all files appear or none:
// - aligned.csv: the table's common rows in the order of the pseudonyms. The column `subject` replaces the column of
//   ids and has the pseudonyms.
// - aligned.csv.order: the order of the rows of aligned.csv (apps/kit/files/row_order.h).
// - aligned.csv.subjects: the company's own id of each row, for an account (apps/kit/account/subjects.h). The file
//   aligned.csv.subjects is left out if it cannot hold one of the ids.
// - pseudonyms.csv: the columns `id,subject`, with each id as it is written in the table.
//
// In a log, an id may come in many rows. Then aligned.csv has all rows of the common ids, in the order of the log, and
// there is no file of subjects.

inline constexpr const char* subject_column = "subject";

struct TableIds {
  std::vector<std::string> ids;        // distinct, in the form in which ids are compared
  std::vector<std::size_t> id_of_row;  // by row: index of the row's id in `ids`
};

// Throws InputError if an id is missing, or if there are more rows than an alignment accepts. If an id comes twice and
// the table is no log, throws InputError that names both lines. Also throws InputError if another column is called
// `subject`. No error shows an id.
[[nodiscard]] TableIds read_ids(const TextTable& table, std::size_t id_column, const IdForm& form, bool is_log = false);

// The common rows of a log: all rows of the common ids, in the order of the log. `common` are the rows of an alignment.
[[nodiscard]] std::vector<AlignedRow> rows_of_log(const TableIds& ids, const std::vector<AlignedRow>& common);

[[nodiscard]] std::filesystem::path aligned_file(const std::filesystem::path& folder);
[[nodiscard]] std::filesystem::path pseudonyms_file(const std::filesystem::path& folder);

// Makes the files for write_files(). The cells of the files are separated by the table's separator.
[[nodiscard]] std::vector<NewFile> aligned_files(const TextTable& table, std::size_t id_column,
                                                 const std::vector<AlignedRow>& rows,
                                                 const std::filesystem::path& folder, bool is_log = false);

}  // namespace sotto::apps::prepare
