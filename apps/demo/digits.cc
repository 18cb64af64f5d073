#include "apps/demo/digits.h"

#include <fmt/format.h>

#include "apps/kit/files/table.h"
#include "apps/prepare/data/contexts.h"
#include "apps/prepare/data/raw_data.h"
#include "apps/prepare/data/reduction.h"

namespace sotto::apps::bandit::demo {

Digits read_digits() {
  const prepare::RawData raw = prepare::read_raw_csv(prepare::shipped_digits(), "label");
  Digits digits;
  digits.values = prepare::project(prepare::fit_pca(raw.features, Digits::columns), raw.features);
  prepare::unit_norm(digits.values, Digits::columns);
  digits.labels = raw.labels;
  return digits;
}

void write_digits(const Digits& digits, const std::filesystem::path& folder) {
  for (std::size_t party = 0; party < Digits::parties; ++party) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < Digits::columns_of_a_party; ++i) {
      names.push_back(fmt::format("pc_{}", party * Digits::columns_of_a_party + i));
    }
    std::vector<double> values;
    for (std::size_t row = 0; row < digits.rows(); ++row) {
      const std::span<const double> part = digits.part(party, row);
      values.insert(values.end(), part.begin(), part.end());
    }
    write_csv(folder / fmt::format("party_{}.csv", party), names, values, prepare::row_digits);
  }
  const std::vector<std::string> label{"label"};
  write_csv(folder / "environment.csv", label, std::vector<double>(digits.labels.begin(), digits.labels.end()));
}

}  // namespace sotto::apps::bandit::demo
