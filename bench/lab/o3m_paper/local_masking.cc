#include "sotto/bench/lab/o3m_paper/local_masking.h"

#include <algorithm>
#include <stdexcept>

#include "sotto/apps/o3m/masking.h"
#include "sotto/core/random/seed.h"

namespace sotto::apps {

LocalMasking::LocalMasking(const O3mParameters& parameters, std::uint64_t seed) : plan_(plan_o3m(parameters)) {
  const std::size_t d = parameters.dimension();
  const std::vector<double> mask = random_orthogonal(d, Seed::insecure_from_number(seed));
  for (std::size_t j = 0; j < parameters.participants(); ++j) {
    blocks_.emplace_back(block_of(mask, d, plan_.offset(j), parameters.columns[j]));
  }
}

void LocalMasking::mask(std::span<const double> contexts, std::span<double> masked) {
  begin(contexts, masked);
  for (std::size_t j = 0; j < blocks_.size(); ++j) add(j, contexts);
  from_fixed(sums_, plan_.fraction_bits, masked);
}

void LocalMasking::mask_own_part(std::span<const double> contexts, std::span<double> masked) {
  begin(contexts, masked);
  add(0, contexts);
  from_fixed(sums_, plan_.fraction_bits, masked);
}

void LocalMasking::begin(std::span<const double> contexts, std::span<double> masked) {
  const std::size_t d = plan_.parameters.dimension();
  if (d == 0 || contexts.size() % d != 0 || masked.size() != contexts.size()) {
    throw std::invalid_argument("contexts to mask are whole rows of the whole dimension");
  }
  masked_own_.resize(masked.size());
  words_.resize(masked.size());
  sums_.assign(masked.size(), 0);
}

void LocalMasking::add(std::size_t participant, std::span<const double> contexts) {
  const std::size_t d = plan_.parameters.dimension();
  const std::size_t rows = contexts.size() / d;
  const std::size_t columns = plan_.parameters.columns[participant];
  own_.resize(rows * columns);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto from = contexts.subspan(r * d + plan_.offset(participant), columns);
    std::copy(from.begin(), from.end(), own_.begin() + static_cast<std::ptrdiff_t>(r * columns));
  }
  blocks_[participant].apply(own_, masked_own_);
  to_fixed(masked_own_, plan_.fraction_bits, words_);
  for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += words_[i];
}

}  // namespace sotto::apps
