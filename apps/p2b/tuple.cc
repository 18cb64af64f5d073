#include "apps/p2b/tuple.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>

#include "apps/kit/files/table.h"
#include "apps/p2b/privacy.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::p2b {
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
  const std::string advice = fmt::format("the columns {} are needed", tuple_header);
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

class CodeCounts {
 public:
  explicit CodeCounts(std::span<const Tuple> batch) {
    std::uint32_t largest = 0;
    for (const Tuple& tuple : batch) largest = std::max(largest, tuple.code);
    if (largest < std::max<std::size_t>(most_dense, 2 * batch.size())) dense_.resize(std::size_t{largest} + 1);
    for (const Tuple& tuple : batch) ++count(tuple.code);
  }

  std::uint64_t& count(std::uint32_t code) { return dense_.empty() ? sparse_[code] : dense_[code]; }

  [[nodiscard]] std::uint64_t codes_below(std::size_t threshold) const {
    std::uint64_t codes = 0;
    for (const std::uint64_t n : dense_) codes += n > 0 && n < threshold ? 1 : 0;
    for (const auto& [code, n] : sparse_) codes += n < threshold ? 1 : 0;
    return codes;
  }

 private:
  static constexpr std::size_t most_dense = std::size_t{1} << 20;
  std::vector<std::uint64_t> dense_;
  std::unordered_map<std::uint32_t, std::uint64_t> sparse_;
};

}  // namespace

std::string tuple_choice_name(TupleChoice choice) { return choice == TupleChoice::uniform ? "uniform" : "published"; }

TupleChoice parse_tuple_choice(const std::string& text, const std::string& where) {
  if (text == "uniform") return TupleChoice::uniform;
  if (text == "published") return TupleChoice::published;
  throw InputError(where, "'" + text + "' is neither 'uniform' nor 'published'");
}

TupleFile read_tuples(const std::filesystem::path& path, const TupleLimits& limits) {
  TupleFile file;
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

ShuffleResult drop_rare_codes(std::span<const Tuple> batch, std::size_t threshold) {
  check_threshold(threshold);
  ShuffleResult result;
  result.received = batch.size();
  CodeCounts counts(batch);
  for (const Tuple& tuple : batch) {
    if (counts.count(tuple.code) >= threshold) result.survivors.push_back(tuple);
  }
  result.kept = result.survivors.size();
  result.dropped = result.received - result.kept;
  result.codes_dropped = counts.codes_below(threshold);
  return result;
}

}  // namespace sotto::apps::p2b
