// The Criteo display advertising log (Criteo AI Labs 2014, the data of the Kaggle challenge), read row by row.
//
// The format has no header. Each shown advertisement is one line of 40 columns separated by tabs:
//   1        label: 1 the user clicked, 0 the user did not
//   2 - 14   13 integers (mostly counts; may be negative)
//   15 - 40  26 categories, each a hash of up to 8 hexadecimal digits
// An empty column is a missing value; a line ends with LF or CRLF.
//
// InputErrors name file:line, or file:line:column for a cell, and never show the content of a cell.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/kit/files/input_file.h"

namespace sotto::apps::lab {

inline constexpr std::size_t criteo_integers = 13;
inline constexpr std::size_t criteo_categories = 26;

struct CriteoRow {
  bool clicked = false;
  std::array<std::optional<std::int64_t>, criteo_integers> integers{};
  std::array<std::optional<std::uint32_t>, criteo_categories> categories{};
};

[[nodiscard]] CriteoRow parse_criteo_row(std::string_view text, const std::string& file, std::uint64_t line);

class CriteoReader {
 public:
  explicit CriteoReader(const std::filesystem::path& path);

  // Throws InputError for a file without rows.
  [[nodiscard]] std::optional<CriteoRow> next();
  [[nodiscard]] std::uint64_t line() const { return lines_.number(); }

 private:
  TextLines lines_;
};

// The Criteo log as a bandit problem (Cao et al. 2022, appendix D.3, after Malekzadeh et al. 2020). The 13 integers
// describe the user, and the 26 categories describe the item.
//   1. Feature hashing turns the categories into 3 codes. The text "C<i>=<8 hex digits>" (i from 1) of each present
//      category is hashed by MurmurHash3 (32 bits, seed 0, read as a signed number h). Code |h| mod 3 grows by 1 if h
//      >= 0 and shrinks by 1 otherwise. (The codes equal those of scikit-learn's FeatureHasher with 3 features.)
//   2. Cantor's pairing function turns the 3 codes into one label. The codes 0, 1, -1, 2, -2, ... are mapped to 0, 1,
//      2, 3, 4, ... beforehand.
//   3. The 40 most common labels are the arms; if two labels are equally common, the smaller label is preferred. Rows
//      with other labels are left out. The codes of a label are the item's 3 features.
//   4. Columns are scaled to [0, 1] by their smallest and largest value among the rows that are kept. A missing integer
//      is replaced by the column's smallest value. In a column without two different values, every value becomes 0.
//      Each user feature is then multiplied by its own factor.
//   5. Outer addition: the context of an arm is x[3 i + j] = u_i + v_j, 39 numbers, for user features u and item
//      features v.
inline constexpr std::size_t criteo_codes = 3;
inline constexpr std::size_t criteo_dimension = criteo_integers * criteo_codes;

using CriteoCodes = std::array<int, criteo_codes>;
using CriteoUser = std::array<double, criteo_integers>;

[[nodiscard]] std::uint32_t murmur3_32(std::string_view text, std::uint32_t seed = 0);
[[nodiscard]] CriteoCodes hash_categories(const CriteoRow& row);
[[nodiscard]] std::uint64_t pair_codes(const CriteoCodes& codes);

struct CriteoItem {
  std::uint64_t label = 0;
  CriteoCodes codes{};
  std::uint64_t rows = 0;
  std::uint64_t clicks = 0;
};

struct CriteoItems {
  std::vector<CriteoItem> items;
  std::uint64_t rows = 0;
  std::uint64_t kept = 0;
  std::uint64_t labels = 0;
  // Smallest and largest values over the kept rows; nothing if a column has no value.
  std::array<std::optional<std::int64_t>, criteo_integers> least{}, largest{};

  [[nodiscard]] std::optional<std::size_t> arm_of(const CriteoCodes& codes) const;
};

struct CriteoLimits {
  std::size_t arms = 40;
  std::uint64_t rows = UINT64_MAX;
};

// Throws InputError if the file has fewer than 2 labels, and Interrupted once `interrupted` is set.
[[nodiscard]] CriteoItems survey_criteo(const std::filesystem::path& path, const CriteoLimits& limits,
                                        const std::atomic<bool>& interrupted);

struct CriteoEvent {
  CriteoUser user{};
  std::size_t arm = 0;
  double reward = 0;  // 1 for a click
};

class CriteoEvents {
 public:
  // `items` must outlive this object. Features of the user are scaled to [0, 1] and then multiplied by `scales`.
  CriteoEvents(const std::filesystem::path& path, const CriteoItems& items, const CriteoUser& scales);

  [[nodiscard]] std::optional<CriteoEvent> next();

 private:
  CriteoReader reader_;
  const CriteoItems& items_;
  CriteoUser scales_;
};

// The contexts of all arms for a user: arms x 39, row-major.
class CriteoContexts {
 public:
  explicit CriteoContexts(const CriteoItems& items);
  void fill(const CriteoUser& user, std::span<double> out) const;

 private:
  std::vector<double> items_;  // arms x 3, scaled
};

}  // namespace sotto::apps::lab
