#include <fmt/format.h>

#include "apps/kit/files/table.h"
#include "apps/live/api/feature_pull.h"
#include "apps/prepare/tables/table_rows.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {

namespace {

constexpr const char* subject_twice = "the subject comes twice";

}  // namespace

void AlignedTable::read_made(const std::filesystem::path& file, const FeatureSchema& schema) {
  const prepare::TextTable table = prepare::TextTable::read(file);
  const std::size_t subject = table.column("subject", "it holds the pseudonym of a row");
  const prepare::TableRows rows(table, schema.maker->recipe());
  check_thousands(table, schema.maker->recipe());
  for_each_row(table, rows, schema.maker->recipe().columns.size(),
               [&](std::size_t r, std::span<const prepare::TableCell> cells) {
                 prepare::RowNotes notes;
                 FeatureValues row(schema.maker->width());
                 schema.maker->make(cells, row, notes);
                 if (const std::string fault = fault_of(schema, row); !fault.empty())
                   throw InputError(table.where(r), fault);
                 if (!rows_.emplace(table.cell(r, subject), std::move(row)).second) {
                   throw InputError(table.where(r, subject), subject_twice);
                 }
                 marks_.emplace(table.cell(r, subject), marks_of(notes));
               });
}

AlignedTable::AlignedTable(const std::filesystem::path& file, const FeatureSchema& schema) {
  if (schema.maker != nullptr) {
    read_made(file, schema);
    return;
  }
  const auto is_subject = [](std::string_view name) { return name == "subject"; };
  const Table table = read_csv(file, Header::required, is_subject);
  const std::size_t subject = table.column("subject", "it holds the pseudonym of a row");
  std::vector<std::size_t> columns;
  columns.reserve(schema.columns.size());
  for (const FeatureColumn& column : schema.columns) {
    columns.push_back(table.column(column.name, "columns in [features] has it"));
  }
  for (std::size_t r = 0; r < table.rows; ++r) {
    const auto cells = table.row(r);
    FeatureValues row;
    row.reserve(columns.size());
    for (const std::size_t column : columns) row.push_back(cells[column]);
    if (const std::string fault = fault_of(schema, row); !fault.empty()) throw InputError(table.where(r), fault);
    const std::string& name = table.texts[subject].at(static_cast<std::size_t>(cells[subject]));
    if (!rows_.emplace(name, std::move(row)).second) {
      throw InputError(table.where(r, subject), subject_twice);
    }
  }
}

const FeatureValues* AlignedTable::find(const std::string& subject) const {
  const auto found = rows_.find(subject);
  return found == rows_.end() ? nullptr : &found->second;
}

const RowMarks* AlignedTable::marks(const std::string& subject) const {
  const auto found = marks_.find(subject);
  return found == marks_.end() ? nullptr : &found->second;
}

}  // namespace sotto::apps::live
