// A model that an agent of P2B gets from the server: any bytes. What is accepted has the arms and the codes that were
// asked for, encodes to the same bytes, and can be used.
//
// Input: a byte (bit 0: with an encoder of 4 codes, else without), then the bytes.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sotto/apps/p2b/encoder.h"
#include "sotto/apps/p2b/model.h"
#include "sotto/core/error/errors.h"
#include "tests/fuzz/target.h"

namespace sotto::apps {
namespace {

constexpr std::size_t dimension = 2;
constexpr std::size_t arms = 3;

const Encoder& encoder() {
  static const Encoder made({dimension, 1, 4, EncoderKind::kmeans, 1}, {0.0, 1.0, 0.3, 0.7, 0.6, 0.4, 1.0, 0.0});
  return made;
}

void take(std::span<const std::byte> input, bool with_encoder) {
  try {
    Model model = Model::from_bytes(input, with_encoder ? &encoder() : nullptr, arms);
    fuzz::require(model.arms() == arms, "a model has the arms that were asked for");
    fuzz::require(!with_encoder || model.codes() == encoder().codes(), "a model has the codes of its encoder");
    const std::vector<std::byte> again = model.to_bytes();
    // One of an unknown encoder gets the fingerprint of the one that is there, or none.
    fuzz::require(again.size() == input.size(), "a model encodes to as many bytes");
    fuzz::require(std::equal(again.begin(), again.begin() + 40, input.begin()) &&
                      std::equal(again.begin() + 48, again.end(), input.begin() + 48),
                  "a model encodes to the same bytes");
    model.solve();
    for (std::uint32_t code = 0; code < std::min<std::size_t>(model.codes(), 8); ++code) {
      for (const double score : model.scores(code)) {
        fuzz::require(!std::isnan(score), "a score is a number");
      }
    }
  } catch (const InputError& error) {
    const std::string_view text = error.what();
    fuzz::require(!text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; }),
                  "an error is printable");
  }
}

}  // namespace
}  // namespace sotto::apps

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // Without an encoder a few bytes may ask for a million codes, which takes the fuzzer's time only.
  if ((data[0] & 1) == 0 && size > 20 && (data[18] > 16 || data[19] != 0)) return 0;
  sotto::apps::take(sotto::fuzz::bytes(data, size).subspan(1), (data[0] & 1) != 0);
  return 0;
}
