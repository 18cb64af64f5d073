#include "apps/bandit/run/local/in_process/rows_view.h"

#include <fmt/format.h>

#include <cmath>

#include "apps/kit/report/human.h"
#include "apps/prepare/data/contexts.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/party/topology.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::apps::bandit::run {
namespace {

void check_shapes(std::span<const RowsView> parts) {
  if (parts.size() < 2 || parts.size() > max_parties) {
    throw InputError(fmt::format("a bandit has 2 to {} parties, {} given: one matrix of features a party", max_parties,
                                 parts.size()));
  }
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const RowsView& part = parts[p];
    if (part.columns == 0) throw InputError(fmt::format("X[{}] has no columns", p));
    if (part.rows == 0) throw InputError(fmt::format("X[{}] has no rows", p));
    if (part.rows != parts.front().rows) {
      throw InputError(fmt::format("X[{}] has {}, but X[0] has {}: row t of all is about the same case", p,
                                   counted(part.rows, "row"), parts.front().rows));
    }
  }
}

}  // namespace

RowsView view_of(std::span<const double> values, std::size_t columns) {
  require_argument(columns > 0 && values.size() % columns == 0, "whole rows of at least one column");
  const auto column_stride = static_cast<std::ptrdiff_t>(sizeof(double));
  return RowsView{std::as_bytes(values).data(), values.size() / columns, columns,
                  column_stride * static_cast<std::ptrdiff_t>(columns), column_stride};
}

void check_rows(std::span<const RowsView> parts, double max_norm) {
  prepare::check_max_norm(max_norm);
  check_shapes(parts);
  const double limit = max_norm * (1 + prepare::norm_slack);
  for (std::size_t row = 0; row < parts.front().rows; ++row) {
    double sum = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      for (std::size_t column = 0; column < parts[p].columns; ++column) {
        const double value = parts[p].at(row, column);
        if (!std::isfinite(value)) {
          throw InputError(fmt::format("X[{}], row {}, column {}: not a finite number", p, row, column));
        }
        sum += value * value;
      }
    }
    if (std::sqrt(sum) <= limit) continue;
    throw InputError(fmt::format(
        "X, row {}: its norm over all parties is above {}; raise --max-norm, up to 8, or divide all of X by one "
        "number, such as np.sqrt(sum((x * x).sum(axis=1) for x in X)).max()",
        row, advised(max_norm)));
  }
}

void encode_view(const RowsView& part, std::uint64_t first, unsigned fraction_bits, std::span<std::uint64_t> out) {
  std::size_t at = 0;
  for (std::uint64_t number = first; at < out.size(); ++number) {
    const auto row = static_cast<std::size_t>(number % part.rows);
    for (std::size_t column = 0; column < part.columns; ++column) {
      out[at++] = sotto::encode(part.at(row, column), fraction_bits);
    }
  }
}

}  // namespace sotto::apps::bandit::run
