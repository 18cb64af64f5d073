#include "apps/kit/account/subjects.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/kit/files/input_file.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps {
namespace {

constexpr std::string_view binding = "# subjects of ";

}  // namespace

std::filesystem::path subjects_file_of(const std::filesystem::path& table) {
  std::filesystem::path path = table;
  path += ".subjects";
  return path;
}

bool is_subject(std::string_view id) {
  return !id.empty() && id.size() <= longest_subject && !id.starts_with(binding) &&
         std::none_of(id.begin(), id.end(), [](char c) { return c == '\n' || c == '\r' || c == '\0'; });
}

std::string subjects_text(std::span<const std::string_view> ids, std::string_view contents) {
  std::string text = fmt::format("{}sha256:{}\n", binding, hex(sha256(contents)));
  for (const std::string_view id : ids) {
    text += id;
    text += '\n';
  }
  return text;
}

std::vector<std::string> read_subjects(const std::filesystem::path& file, const std::filesystem::path& table,
                                       std::size_t rows) {
  std::vector<std::string> subjects;
  TextLines lines(file, "a file of subjects", longest_subject, most_text_bytes);
  for (bool first = true; lines.next() && subjects.size() <= rows; first = false) {
    if (first && lines.text().starts_with(binding)) {
      if (file_digest(table) == lines.text().substr(binding.size())) continue;
      throw InputError(file.string(), fmt::format("these are the subjects of another table than {}: prepare the table "
                                                  "again, or name the file that belongs to it",
                                                  table.string()));
    }
    if (lines.text().empty()) throw InputError(lines.place(), "expected the id of whom the row is about");
    subjects.emplace_back(lines.text());
  }
  if (subjects.size() != rows) {
    throw InputError(file.string(),
                     fmt::format("{}{}, but the data has {}: a line a row, of the same table",
                                 subjects.size() > rows ? "more than " : "",
                                 counted(std::min(subjects.size(), rows), "line"), counted(rows, "row")));
  }
  return subjects;
}

}  // namespace sotto::apps
