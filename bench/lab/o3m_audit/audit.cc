#include "bench/lab/o3m_audit/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::lab {
namespace {

constexpr std::size_t curve_steps = 20;

std::vector<GeometryReading> read_all_geometry(const AuditData& data, const MaskedUsers& users) {
  std::vector<GeometryReading> readings;
  readings.push_back(read_geometry("whole contexts", users.view.masked, data.values, data.rows));
  readings.push_back(read_geometry("passive participants together", without_own(users.view), data.others(), data.rows));
  for (std::size_t j = 1; j < data.columns.size(); ++j) {
    readings.push_back(read_geometry(fmt::format("passive participant {}, --insecure-blocks", j), users.blocks[j - 1],
                                     data.block(j), data.rows));
  }
  return readings;
}

std::vector<std::size_t> attempts(const std::vector<std::size_t>& asked, std::size_t independent) {
  for (const std::size_t known : asked) {
    if (known <= independent) continue;
    throw InputError(
        "--known", fmt::format("{} where the others' contexts have {} linearly independent ones: more give nothing new",
                               known, independent));
  }
  if (!asked.empty()) return asked;
  std::vector<std::size_t> usual{independent};
  for (const std::size_t fewer : {independent - std::min<std::size_t>(independent, 1), 2 * independent / 3}) {
    if (fewer < usual.back()) usual.push_back(fewer);
  }
  return usual;
}

// The same view with a block that belongs to another mask.
ActiveView with_wrong_block(const AuditData& data, const MaskedUsers& users, std::uint64_t seed) {
  ActiveView view = users.view;
  view.own_block = mask_users(data, seed + 1).view.own_block;
  return view;
}

}  // namespace

AuditResult run_audit(AuditData data, const AuditOptions& options) {
  if (data.rows <= data.dimension()) {
    throw InputError(fmt::format("{} of {}: an audit needs more contexts than features, or none is left to recover",
                                 counted(data.rows, "context"), counted(data.dimension(), "feature")));
  }
  AuditResult result;
  result.parameters = parameters_of(data);
  const MaskedUsers users = mask_users(data, options.seed);
  const std::vector<double> others = data.others();
  result.geometry = read_all_geometry(data, users);
  result.sums = read_sums(data, users);

  const std::vector<std::size_t> rows = independent_rows(others, data.rows, users.view.others());
  const std::span<const std::size_t> known(rows);
  result.independent = known.size();
  for (const std::size_t count : attempts(options.known, known.size())) {
    result.recovery.push_back(recover_from_known(users.view, others, known.first(count)));
  }
  const std::size_t step = known.size() / curve_steps + 1;
  for (std::size_t count = 0; count < known.size(); count += step) {
    result.recovery_curve.push_back(recover_from_known(users.view, others, known.first(count)));
  }
  result.recovery_curve.push_back(recover_from_known(users.view, others, known));
  result.mean_guess = guess_mean(others, data.rows, known);
  result.wrong_block = recover_from_known(with_wrong_block(data, users, options.seed), others, known);

  result.unmixed = fast_ica(others_rotated(users.view), data.rows, options.seed);
  result.unmixing = match(result.unmixed, others, data.rows);
  result.generator_error = error_with_mask(users.view, users.mask, data.values);
  result.data = std::move(data);
  return result;
}

}  // namespace sotto::apps::lab
