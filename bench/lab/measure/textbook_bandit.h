// LinUCB and LinTS as one writes them down first: A as a whole, inverted or factorised anew in each step. The
// comparison of `sotto-lab bench o3m`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "apps/kit/learn/linear_bandit.h"

namespace sotto::apps::lab {

class TextbookBandit {
 public:
  explicit TextbookBandit(const LinearBanditOptions& options);
  ~TextbookBandit();

  // As of LinearBandit; ties go to the first arm, and the noise of ts is one of theta.
  [[nodiscard]] std::size_t select(std::uint64_t step, std::span<const double> contexts);
  void update(std::span<const double> context, double reward);

 private:
  class p2b::Model;
  std::unique_ptr<p2b::Model> model_;
};

}  // namespace sotto::apps::lab
