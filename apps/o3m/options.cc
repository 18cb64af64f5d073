#include "sotto/apps/o3m/options.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <system_error>

#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

constexpr double largest_number = 1e6;
constexpr double smallest_lambda = 1e-9;

void check_range(double value, double low, const char* flag, const char* what) {
  if (value >= low && value <= largest_number) return;
  throw InputError(flag, fmt::format("{} must be from {} to {}", what, low, largest_number));
}

}  // namespace

LinearAlgorithm parse_algorithm(const std::string& text, const std::string& where) {
  if (text == "ucb") return LinearAlgorithm::ucb;
  if (text == "ts") return LinearAlgorithm::ts;
  throw InputError(where, "there are the algorithms 'ucb' (LinUCB) and 'ts' (LinTS)");
}

const char* algorithm_text(LinearAlgorithm algorithm) { return algorithm == LinearAlgorithm::ucb ? "ucb" : "ts"; }

void check_numbers(const O3mOptions& options) {
  check_range(options.beta, 0, "--beta", "the weight of the confidence width");
  check_range(options.v, 0, "--v", "the standard deviation of LinTS");
  check_range(options.lambda, smallest_lambda, "--lambda", "the ridge");
}

std::optional<NodeId> parse_mask_generator(const std::string& text, std::size_t participants,
                                           const std::string& where) {
  if (text == "third-party") return std::nullopt;
  std::size_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end || number >= participants) {
    throw InputError(
        where, fmt::format("the mask generator is 'third-party' or a passive participant, 1 to {}", participants - 1));
  }
  if (number == 0) {
    throw InputError(where,
                     "the active participant must not generate the mask: it could undo it and read every context");
  }
  return static_cast<NodeId>(number);
}

}  // namespace sotto::apps
