#include "bench/lab/data/criteo.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <unordered_map>

#include "apps/kit/program/option_values.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::lab {
namespace {

constexpr std::size_t criteo_columns = 1 + criteo_integers + criteo_categories;
// Rows are read one by one, and a day of the largest published log has 50 GB.
constexpr std::uint64_t most_log_bytes = std::uint64_t{1} << 38;
constexpr std::size_t max_line = 4096;  // enough: 40 cells of 8 digits have less than 400 bytes

std::array<std::string_view, criteo_columns> split(std::string_view text, const std::string& file, std::uint64_t line) {
  const auto found = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\t')) + 1;
  if (found == criteo_columns - 1) {
    throw InputError(line_place(file, line),
                     "39 columns, 40 are needed; this looks like the file without labels, use the one for training");
  }
  if (found != criteo_columns) {
    throw InputError(line_place(file, line),
                     fmt::format("{} separated by tabs, 40 are needed: label, 13 integers, 26 categories",
                                 counted(found, "column")));
  }
  std::array<std::string_view, criteo_columns> cells;
  for (std::string_view& cell : cells) {
    const std::size_t end = text.find('\t');
    cell = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return cells;
}

std::uint32_t scrambled(std::uint32_t block) { return std::rotl(block * 0xcc9e2d51U, 15) * 0x1b873593U; }

std::uint32_t byte_at(std::string_view text, std::size_t i) { return static_cast<std::uint8_t>(text[i]); }

// Maps 0, 1, -1, 2, -2, ... to 0, 1, 2, 3, 4, ...
std::uint64_t natural_of(int code) {
  const auto size = static_cast<std::uint64_t>(std::abs(code));
  return code > 0 ? 2 * size - 1 : 2 * size;
}

std::uint64_t cantor_pair(std::uint64_t a, std::uint64_t b) { return (a + b) * (a + b + 1) / 2 + b; }

struct LabelSums {
  CriteoCodes codes{};
  std::uint64_t rows = 0;
  std::uint64_t clicks = 0;
  std::array<std::int64_t, criteo_integers> least{}, largest{};
  std::uint32_t seen = 0;

  void add(const CriteoRow& row) {
    ++rows;
    clicks += row.clicked ? 1 : 0;
    for (std::size_t i = 0; i < criteo_integers; ++i) {
      if (!row.integers[i]) continue;
      const std::int64_t value = *row.integers[i];
      const bool first = (seen >> i & 1) == 0;
      seen |= 1U << i;
      least[i] = first ? value : std::min(least[i], value);
      largest[i] = first ? value : std::max(largest[i], value);
    }
  }
};

using Labels = std::unordered_map<std::uint64_t, LabelSums>;

void keep(CriteoItems& items, std::uint64_t label, const LabelSums& sums) {
  items.items.push_back({label, sums.codes, sums.rows, sums.clicks});
  items.kept += sums.rows;
  for (std::size_t i = 0; i < criteo_integers; ++i) {
    if ((sums.seen >> i & 1) == 0) continue;
    items.least[i] = std::min(items.least[i].value_or(sums.least[i]), sums.least[i]);
    items.largest[i] = std::max(items.largest[i].value_or(sums.largest[i]), sums.largest[i]);
  }
}

void keep_most_common(CriteoItems& items, const Labels& labels, std::size_t arms) {
  std::vector<std::uint64_t> order;
  order.reserve(labels.size());
  for (const auto& entry : labels) order.push_back(entry.first);
  std::sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
    const std::uint64_t rows_a = labels.at(a).rows;
    const std::uint64_t rows_b = labels.at(b).rows;
    return rows_a != rows_b ? rows_a > rows_b : a < b;
  });
  order.resize(std::min(order.size(), arms));
  for (const std::uint64_t label : order) keep(items, label, labels.at(label));
}

// The arguments are doubles, because the difference of two integers can be too large for an integer.
double scaled(double value, double least, double largest) {
  return largest > least ? (value - least) / (largest - least) : 0;
}

}  // namespace

CriteoRow parse_criteo_row(std::string_view text, const std::string& file, std::uint64_t line) {
  const auto cells = split(text, file, line);
  CriteoRow row;
  if (cells[0] != "0" && cells[0] != "1") {
    throw InputError(line_place(file, line, 1), "the label is neither 0 nor 1");
  }
  row.clicked = cells[0] == "1";
  for (std::size_t i = 0; i < criteo_integers; ++i) {
    const std::string_view cell = cells[1 + i];
    if (cell.empty()) continue;
    row.integers[i] = number_of<std::int64_t>(cell);
    if (!row.integers[i]) throw InputError(line_place(file, line, 2 + i), "not an integer");
  }
  for (std::size_t i = 0; i < criteo_categories; ++i) {
    const std::size_t column = 1 + criteo_integers + i;
    const std::string_view cell = cells[column];
    if (cell.empty()) continue;
    row.categories[i] = number_of<std::uint32_t>(cell, 16);
    if (cell.size() > 8 || !row.categories[i]) {
      throw InputError(line_place(file, line, column + 1), "not a category: up to 8 hexadecimal digits are needed");
    }
  }
  return row;
}

CriteoReader::CriteoReader(const std::filesystem::path& path)
    : lines_(path, "a Criteo log", max_line, most_log_bytes) {}

std::optional<CriteoRow> CriteoReader::next() {
  if (!lines_.next()) return std::nullopt;
  return parse_criteo_row(lines_.text(), lines_.file(), lines_.number());
}

std::uint32_t murmur3_32(std::string_view text, std::uint32_t seed) {
  std::uint32_t hash = seed;
  const std::size_t blocks = text.size() / 4;
  for (std::size_t i = 0; i < 4 * blocks; i += 4) {
    const std::uint32_t block =
        byte_at(text, i) | byte_at(text, i + 1) << 8 | byte_at(text, i + 2) << 16 | byte_at(text, i + 3) << 24;
    hash = std::rotl(hash ^ scrambled(block), 13) * 5 + 0xe6546b64U;
  }
  std::uint32_t tail = 0;
  for (std::size_t i = text.size(); i > 4 * blocks; --i) tail = tail << 8 | byte_at(text, i - 1);
  hash ^= scrambled(tail);
  hash ^= static_cast<std::uint32_t>(text.size());
  hash = (hash ^ hash >> 16) * 0x85ebca6bU;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35U;
  return hash ^ hash >> 16;
}

CriteoCodes hash_categories(const CriteoRow& row) {
  CriteoCodes codes{};
  for (std::size_t i = 0; i < criteo_categories; ++i) {
    if (!row.categories[i]) continue;
    fmt::basic_memory_buffer<char, 32> text;
    fmt::format_to(std::back_inserter(text), "C{}={:08x}", i + 1, *row.categories[i]);
    const auto hash = std::int64_t{static_cast<std::int32_t>(murmur3_32({text.data(), text.size()}))};
    codes[static_cast<std::size_t>(std::abs(hash)) % criteo_codes] += hash >= 0 ? 1 : -1;
  }
  return codes;
}

std::uint64_t pair_codes(const CriteoCodes& codes) {
  return cantor_pair(cantor_pair(natural_of(codes[0]), natural_of(codes[1])), natural_of(codes[2]));
}

std::optional<std::size_t> CriteoItems::arm_of(const CriteoCodes& codes) const {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const CriteoItem& item) { return item.codes == codes; });
  if (found == items.end()) return std::nullopt;
  return static_cast<std::size_t>(found - items.begin());
}

CriteoItems survey_criteo(const std::filesystem::path& path, const CriteoLimits& limits,
                          const std::atomic<bool>& interrupted) {
  CriteoReader reader(path);
  CriteoItems items;
  Labels labels;
  while (items.rows < limits.rows) {
    if (interrupted) throw Interrupted();
    const std::optional<CriteoRow> row = reader.next();
    if (!row) break;
    ++items.rows;
    const CriteoCodes codes = hash_categories(*row);
    LabelSums& sums = labels[pair_codes(codes)];
    sums.codes = codes;
    sums.add(*row);
  }
  items.labels = labels.size();
  if (labels.size() < 2 || limits.arms < 2) {
    throw InputError(path.string(), "all rows have one item label; at least 2 arms are needed to choose among");
  }
  keep_most_common(items, labels, limits.arms);
  return items;
}

CriteoEvents::CriteoEvents(const std::filesystem::path& path, const CriteoItems& items, const CriteoUser& scales)
    : reader_(path), items_(items), scales_(scales) {}

std::optional<CriteoEvent> CriteoEvents::next() {
  while (reader_.line() < items_.rows) {
    const std::optional<CriteoRow> row = reader_.next();
    if (!row) break;
    const std::optional<std::size_t> arm = items_.arm_of(hash_categories(*row));
    if (!arm) continue;
    CriteoEvent event;
    event.arm = *arm;
    event.reward = row->clicked ? 1 : 0;
    for (std::size_t i = 0; i < criteo_integers; ++i) {
      if (!row->integers[i] || !items_.least[i]) continue;
      event.user[i] = scales_[i] * scaled(static_cast<double>(*row->integers[i]), static_cast<double>(*items_.least[i]),
                                          static_cast<double>(*items_.largest[i]));
    }
    return event;
  }
  return std::nullopt;
}

CriteoContexts::CriteoContexts(const CriteoItems& items) {
  CriteoCodes least{}, largest{};
  for (std::size_t j = 0; j < criteo_codes; ++j) {
    const auto by_code = [j](const CriteoItem& a, const CriteoItem& b) { return a.codes[j] < b.codes[j]; };
    const auto range = std::minmax_element(items.items.begin(), items.items.end(), by_code);
    least[j] = range.first->codes[j];
    largest[j] = range.second->codes[j];
  }
  for (const CriteoItem& item : items.items) {
    for (std::size_t j = 0; j < criteo_codes; ++j) {
      items_.push_back(scaled(item.codes[j], least[j], largest[j]));
    }
  }
}

void CriteoContexts::fill(const CriteoUser& user, std::span<double> out) const {
  const std::size_t arms = items_.size() / criteo_codes;
  if (out.size() != arms * criteo_dimension) {
    throw std::invalid_argument("the contexts of a Criteo event are arms x 39 numbers");
  }
  double* to = out.data();
  for (std::size_t arm = 0; arm < arms; ++arm) {
    for (const double u : user) {
      for (std::size_t j = 0; j < criteo_codes; ++j) *to++ = u + items_[arm * criteo_codes + j];
    }
  }
}

}  // namespace sotto::apps::lab
