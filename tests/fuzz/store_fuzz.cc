// Rows of a role's store, as they come out of the decryption: any bytes. What a decoder accepts encodes to the same
// bytes.
#include <algorithm>

#include "sotto/apps/bandit/state/rows.h"
#include "tests/fuzz/target.h"

namespace sotto::apps {
namespace {

template <class Row>
void check(const std::optional<Row>& row, std::span<const std::byte> input) {
  if (!row) return;
  const std::vector<std::byte> again = encode(*row);
  fuzz::require(std::equal(again.begin(), again.end(), input.begin(), input.end()),
                "a row that is accepted encodes to the same bytes");
}

}  // namespace
}  // namespace sotto::apps

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sotto;
  const auto input = fuzz::bytes(data, size);
  apps::check(apps::decode_checkpoint(input), input);
  apps::check(apps::decode_opened_epoch(input), input);
  apps::check(apps::decode_pulled_arms(input), input);
  return 0;
}
