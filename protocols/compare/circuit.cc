#include "sotto/protocol/compare/circuit.h"

#include <utility>

#include "sotto/protocol/convert/arith_to_bool.h"
#include "sotto/protocol/convert/bool_to_arith.h"

namespace sotto::protocols {

Task<Arith> below_zero_by_circuit(Party& party, Arith value, unsigned result_bits, Label label) {
  const Bool negative = co_await sign_of(party, std::move(value), label);
  co_return co_await bool_to_arith(party, negative, result_bits, label);
}

Task<Arith> less_than_by_circuit(Party& party, Arith x, Arith y, Label label) {
  co_return co_await below_zero_by_circuit(party, x - y, 64, label);
}

}  // namespace sotto::protocols
