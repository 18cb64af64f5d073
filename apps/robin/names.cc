#include "sotto/apps/robin/names.h"

#include <fmt/format.h>

#include "sotto/core/error/errors.h"

namespace sotto::apps {

std::string noise_text(NoiseKind noise) { return noise == NoiseKind::laplace ? "laplace" : "gaussian"; }

std::string range_text(RangeKind range) { return range == RangeKind::last_release ? "last" : "private"; }

NoiseKind parse_noise(std::string_view text, const std::string& where) {
  for (const NoiseKind noise : {NoiseKind::laplace, NoiseKind::gaussian}) {
    if (text == noise_text(noise)) return noise;
  }
  throw InputError(where, fmt::format("expected \"gaussian\" or \"laplace\", not \"{}\"", text));
}

RangeKind parse_range(std::string_view text, const std::string& where) {
  for (const RangeKind range : {RangeKind::private_range, RangeKind::last_release}) {
    if (text == range_text(range)) return range;
  }
  throw InputError(where, fmt::format("expected \"private\" or \"last\", not \"{}\"", text));
}

}  // namespace sotto::apps
