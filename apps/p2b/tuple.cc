#include "sotto/apps/p2b/tuple.h"

#include <fmt/format.h>

#include <limits>
#include <set>

#include "sotto/apps/kit/files/table.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

constexpr std::string_view tuple_header = "code,arm,reward";

struct Places {
  std::size_t code = 0;
  std::size_t arm = 1;
  std::size_t reward = 2;
  std::optional<std::size_t> user{};
};

Places places_of(const Table& table) {
  Places places;
  const bool named = table.columns.front() != "1";
  if (!named) {
    if (table.columns.size() == 3) return places;
    throw InputError(table.file + ":1",
                     fmt::format("{} without a header, where the three {} are expected; name them in a first line",
                                 counted(table.columns.size(), "column"), tuple_header));
  }
  const std::string advice = fmt::format("; the columns {} are needed", tuple_header);
  const auto find = [&](std::string_view name) { return table.column(name, advice); };
  return {find("code"), find("arm"), find("reward"), table.find_column("user")};
}

std::uint32_t whole(const Table& table, std::size_t row, std::size_t column, std::string_view what,
                    std::optional<std::size_t> limit) {
  const auto value = table.whole_number(row, column);
  const double most =
      limit ? static_cast<double>(*limit) - 1 : static_cast<double>(std::numeric_limits<std::uint32_t>::max());
  if (value && *value <= most) return static_cast<std::uint32_t>(*value);
  const std::string range = limit ? fmt::format("0..{}", *limit - 1) : "0, 1, 2 and so on";
  throw InputError(table.where(row, column),
                   fmt::format("the {} is not one of {}: correct the file or the number of {}s", what, range, what));
}

}  // namespace

std::string tuple_choice_name(TupleChoice choice) { return choice == TupleChoice::uniform ? "uniform" : "published"; }

TupleChoice parse_tuple_choice(const std::string& text, const std::string& where) {
  if (text == "uniform") return TupleChoice::uniform;
  if (text == "published") return TupleChoice::published;
  throw InputError(where, "'" + text + "' is neither 'uniform' nor 'published'");
}

TupleFile read_tuples(const std::filesystem::path& path, const TupleLimits& limits) {
  TupleFile file;
  // What else stands in the file is metadata, of any kind.
  const auto is_metadata = [](std::string_view name) { return name != "code" && name != "arm" && name != "reward"; };
  const Table table = read_csv(path, Header::optional, is_metadata, {.fewest_rows = 0});
  const Places places = places_of(table);
  std::set<double> users;
  file.tuples.reserve(table.rows);
  for (std::size_t r = 0; r < table.rows; ++r) {
    const Tuple tuple{whole(table, r, places.code, "code", limits.codes),
                      whole(table, r, places.arm, "arm", limits.arms),
                      clip_reward(table.row(r)[places.reward], file.clipped)};
    if (places.user && !users.insert(table.row(r)[*places.user]).second) {
      ++file.duplicates;
      continue;
    }
    file.tuples.push_back(tuple);
  }
  return file;
}

std::string tuples_csv(std::span<const Tuple> tuples) {
  std::string csv(tuple_header);
  csv += '\n';
  for (const Tuple& tuple : tuples) {
    csv += fmt::format("{},{},{}\n", tuple.code, tuple.arm, tuple.reward);
  }
  return csv;
}

}  // namespace sotto::apps
