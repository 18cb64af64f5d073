// Rows of a role's store as they come out of the decryption, and what peers say of theirs: any bytes. What a decoder
// accepts encodes to the same bytes.
#include <algorithm>
#include <string_view>

#include "sotto/apps/bandit/state/resume_state.h"
#include "sotto/apps/bandit/state/rows.h"
#include "sotto/core/error/errors.h"
#include "sotto/net/mesh/peers.h"
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

// What one node, or the dealer, says of earlier epochs beside others that have come a little way.
void agree_with(const ResumeState& said) {
  const Topology topology(2);
  std::map<NodeId, ResumeState> states{{net::dealer_id, ResumeState{false, true, 3, {}, 219, 305}}};
  const ResumeState usual{true, false, 3, {{100, net::sha256("100")}, {200, net::sha256("200")}}, 217, 301};
  for (NodeId node = 0; node < topology.nodes(); ++node) states[node] = usual;
  states[said.stateful ? topology.outside_node() : net::dealer_id] = said;
  try {
    const ResumePoint opening = agree_on(topology, states);
    fuzz::require(opening.epoch > said.epoch, "no epoch is opened twice");
    fuzz::require(opening.from_step + opening.repeated <= opening.taken, "what is begun was taken");
  } catch (const DisagreementError& error) {
    const std::string_view text = error.what();
    fuzz::require(std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; }),
                  "a disagreement is printable");
  }
}

}  // namespace
}  // namespace sotto::apps

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sotto;
  const auto input = fuzz::bytes(data, size);
  apps::check(apps::decode_checkpoint(input), input);
  apps::check(apps::decode_opened_epoch(input), input);
  apps::check(apps::decode_pulled_arms(input), input);
  apps::check(apps::decode_resume_point(input), input);
  const auto state = apps::decode_resume_state(input);
  apps::check(state, input);
  if (state) apps::agree_with(*state);
  return 0;
}
