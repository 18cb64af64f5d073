#include "sotto/protocol/convert/arith_to_bool.h"

#include <utility>
#include <vector>

#include "sotto/protocol/boolean/adder.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto::protocols {
namespace {

// Each party's additive share as an XOR-shared word.
std::vector<Bool> shares_as_inputs(const Party& party, const Arith& value) {
  std::vector<Bool> inputs;
  for (NodeId owner = 0; owner < party.topology().parties(); ++owner) {
    Words words;
    if (party.is(owner)) {
      words = ShareAccess::words(value);
    } else if (party.holds_shares()) {
      words.assign(value.lanes(), 0);
    }
    inputs.push_back(Bool(value.shape(), value.bits(), std::move(words)));
  }
  return inputs;
}

}  // namespace

Task<Bool> arith_to_bool(Party& party, Arith value, Label label) {
  const auto summands = co_await carry_save(party, shares_as_inputs(party, value), label);
  co_return co_await add(party, summands.first, summands.second, label);
}

Task<Bool> sign_of(Party& party, Arith value, Label label) {
  const auto summands = co_await carry_save(party, shares_as_inputs(party, value), label);
  co_return co_await top_bit_of_sum(party, summands.first, summands.second, label);
}

}  // namespace sotto::protocols
