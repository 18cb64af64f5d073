#include "apps/prepare/align/align_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "apps/kit/account/subjects.h"
#include "apps/kit/files/input_file.h"
#include "apps/kit/files/row_order.h"
#include "apps/kit/files/table.h"
#include "apps/prepare/tables/row_ids.h"
#include "apps/prepare/tables/text_table.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/driver/run.h"
#include "sotto/protocol/mesh/handshake/hello.h"
#include "sotto/protocol/sets/intersect.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps::prepare {
namespace {

constexpr std::size_t pseudonym_bytes = 16;

struct Found {
  std::vector<std::uint64_t> sizes;
  std::vector<protocols::CommonId> common;
};

Task<Found> find(Party& party, std::vector<std::string> ids, protocols::OnIntersect on_progress) {
  Found found;
  found.sizes = co_await protocols::announce_sizes(party, ids.size());
  found.common = co_await protocols::intersect(party, found.sizes, std::move(ids), std::move(on_progress));
  co_return found;
}

std::string pseudonym_of(const GroupElement& tag, const std::string& session) {
  std::string text = "sotto pseudonym 1\n" + session + '\n';
  text.append(reinterpret_cast<const char*>(tag.data()), tag.size());
  const net::Digest digest = net::sha256(text);
  return hex(std::span(digest).first(pseudonym_bytes));
}

void check_table(const TextTable& table, std::size_t id_column) {
  const auto subject = table.find_column(subject_column);
  if (subject && *subject != id_column) {
    throw InputError(line_place(table.file(), 1, *subject + 1),
                     "a column 'subject' is there already, where the pseudonyms are to go; rename it");
  }
  if (table.rows() > protocols::most_ids) {
    throw InputError(table.file(),
                     fmt::format("{}, and {} is the most", counted(table.rows(), "row"), protocols::most_ids));
  }
}

// A name that contains any separator of tables is put in quotes, so that the header is not read with that separator.
std::string header_cell(std::string_view name, char separator) {
  const std::size_t found = name.find_first_of(table_separators);
  return csv_cell(name, found == std::string_view::npos ? separator : name[found]);
}

std::string aligned_text(const TextTable& table, std::size_t id_column, const std::vector<AlignedRow>& rows) {
  std::string text;
  const std::size_t width = table.columns().size();
  const auto add_cell = [&](std::size_t column, const std::string& cell) {
    text += cell;
    text += column + 1 == width ? '\n' : table.separator();
  };
  for (std::size_t c = 0; c < width; ++c) {
    add_cell(c, header_cell(c == id_column ? subject_column : std::string_view(table.columns()[c]), table.separator()));
  }
  for (const AlignedRow& row : rows) {
    for (std::size_t c = 0; c < width; ++c) {
      add_cell(
          c, csv_cell(c == id_column ? std::string_view(row.pseudonym) : table.cell(row.place, c), table.separator()));
    }
  }
  return text;
}

std::string pseudonyms_text(const TextTable& table, std::size_t id_column, std::vector<AlignedRow> rows) {
  const auto comes_before = [](const AlignedRow& a, const AlignedRow& b) { return a.pseudonym < b.pseudonym; };
  const auto is_same = [](const AlignedRow& a, const AlignedRow& b) { return a.pseudonym == b.pseudonym; };
  std::stable_sort(rows.begin(), rows.end(), comes_before);
  rows.erase(std::unique(rows.begin(), rows.end(), is_same), rows.end());
  std::string text = fmt::format("id,{}\n", subject_column);
  for (const AlignedRow& row : rows) {
    text += csv_cell(table.cell(row.place, id_column));
    text += ',';
    text += row.pseudonym;
    text += '\n';
  }
  return text;
}

}  // namespace

Alignment align_ids(net::Mesh& mesh, std::vector<std::string> ids, const net::DriverOptions& options,
                    const protocols::OnIntersect& on_progress) {
  const auto program = [&](Party& party) { return find(party, std::move(ids), on_progress); };
  auto run = net::run_program(mesh, program, options);
  Alignment result;
  result.sizes = std::move(run.result->sizes);
  const std::string session = net::text_of(mesh.session());
  result.rows.reserve(run.result->common.size());
  for (const protocols::CommonId& id : run.result->common) {
    result.rows.push_back({id.place, pseudonym_of(id.tag, session)});
  }
  std::sort(result.rows.begin(), result.rows.end(),
            [](const AlignedRow& a, const AlignedRow& b) { return a.pseudonym < b.pseudonym; });
  result.rounds = run.node.rounds;
  result.bytes_sent = run.node.total_bytes_sent();
  result.seconds = run.node.seconds;
  return result;
}

TableIds read_ids(const TextTable& table, std::size_t id_column, const IdForm& form, bool is_log) {
  check_table(table, id_column);
  std::vector<std::string> ids;
  ids.reserve(table.rows());
  for (std::size_t r = 0; r < table.rows(); ++r) {
    try {
      ids.push_back(comparable_id(table.cell(r, id_column), form));
    } catch (const InputError& error) {
      throw InputError(table.where(r, id_column), error.what());
    }
  }
  require_ids(table, {id_column}, CellForm{});
  if (!is_log) {
    check_ids(table, {id_column}, CellForm{}, views_of(ids));
    std::vector<std::size_t> each = order_of_ids(views_of(ids), false);
    return {std::move(ids), std::move(each)};
  }
  TableIds distinct;
  std::unordered_map<std::string_view, std::size_t> place_of_id;
  for (const std::string& id : ids) {
    const auto [found, is_new] = place_of_id.try_emplace(id, distinct.ids.size());
    if (is_new) distinct.ids.push_back(id);
    distinct.id_of_row.push_back(found->second);
  }
  return distinct;
}

std::vector<AlignedRow> rows_of_log(const TableIds& ids, const std::vector<AlignedRow>& common) {
  std::vector<std::string> pseudonym_of_id(ids.ids.size());
  for (const AlignedRow& row : common) pseudonym_of_id[row.place] = row.pseudonym;
  std::vector<AlignedRow> rows;
  for (std::size_t row = 0; row < ids.id_of_row.size(); ++row) {
    const std::string& pseudonym = pseudonym_of_id[ids.id_of_row[row]];
    if (!pseudonym.empty()) rows.push_back({row, pseudonym});
  }
  return rows;
}

std::filesystem::path aligned_file(const std::filesystem::path& folder) { return folder / "aligned.csv"; }
std::filesystem::path pseudonyms_file(const std::filesystem::path& folder) { return folder / "pseudonyms.csv"; }

std::vector<NewFile> aligned_files(const TextTable& table, std::size_t id_column, const std::vector<AlignedRow>& rows,
                                   const std::filesystem::path& folder, bool is_log) {
  std::vector<std::string_view> pseudonyms;
  std::vector<std::string_view> ids;
  for (const AlignedRow& row : rows) {
    pseudonyms.push_back(row.pseudonym);
    ids.push_back(table.cell(row.place, id_column));
  }
  std::string aligned = aligned_text(table, id_column, rows);
  std::string order = order_text(order_digest(pseudonyms), aligned);
  std::string own_ids = subjects_text(ids, aligned);
  std::vector<NewFile> files;
  files.push_back({aligned_file(folder), std::move(aligned)});
  files.push_back({order_file_of(aligned_file(folder)), std::move(order)});
  files.push_back({pseudonyms_file(folder), pseudonyms_text(table, id_column, rows)});
  // The format of the file of subjects does not allow an id that is_subject() refuses.
  if (!is_log && std::all_of(ids.begin(), ids.end(), is_subject)) {
    files.push_back({subjects_file_of(aligned_file(folder)), std::move(own_ids)});
  }
  return files;
}

}  // namespace sotto::apps::prepare
