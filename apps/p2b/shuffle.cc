#include "sotto/apps/p2b/shuffle.h"

#include <algorithm>
#include <unordered_map>

#include "sotto/apps/p2b/privacy.h"

namespace sotto::apps {
namespace {

// How often each code occurs: in an array where codes are small, as they are from an encoder.
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

}  // namespace sotto::apps
