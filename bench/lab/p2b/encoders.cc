#include "sotto/bench/lab/p2b/encoders.h"

#include <fmt/format.h>

#include "sotto/core/error/errors.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

// Larger grids take longer to table than experiments take to encode.
constexpr std::uint64_t most_tabled = 500'000;

std::shared_ptr<const Encoder> tabled(Encoder encoder) {
  const Grid& grid = encoder.grid();
  if (grid.ranked() && *grid.states().exact <= most_tabled) encoder.prepare_table();
  return std::make_shared<const Encoder>(std::move(encoder));
}

}  // namespace

EncoderStore::EncoderStore(unsigned decimals, EncoderKind kind, std::uint64_t seed, const std::filesystem::path& file)
    : decimals_(decimals), kind_(kind), seed_(seed), file_(file) {
  if (!file.empty()) fixed_ = tabled(read_encoder(file));
}

std::shared_ptr<const Encoder> EncoderStore::get(std::size_t dimension, std::size_t codes) {
  if (fixed_ != nullptr) {
    if (fixed_->dimension() == dimension) return fixed_;
    throw InputError(
        file_.string(),
        fmt::format("the centroids have {}, contexts have {}: fit an encoder with 'sotto p2b encoder --dim {}'",
                    counted(fixed_->dimension(), "feature"), dimension, dimension));
  }
  std::shared_ptr<const Encoder>& encoder = fitted_[{dimension, codes}];
  if (encoder == nullptr) {
    encoder = tabled(fit_encoder({dimension, decimals_, codes, kind_, seed_}));
  }
  return encoder;
}

}  // namespace sotto::apps
