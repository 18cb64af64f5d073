#include "protocols/preprocessing/transfers/exchange_bytes.h"

#include <utility>

#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/io/deliver.h"

namespace sotto::protocols {

Task<std::vector<std::byte>> exchange_bytes(Party& party, std::vector<std::byte> mine, std::size_t size, Label label) {
  std::vector<std::byte> of_0;
  std::vector<std::byte> of_1;
  (party.is(0) ? of_0 : of_1) = std::move(mine);
  auto [at_1, at_0] = co_await when_all(deliver_bytes(party, 0, 1, std::move(of_0), size, label),
                                        deliver_bytes(party, 1, 0, std::move(of_1), size, label));
  if (party.is(0)) co_return std::move(at_0);
  co_return std::move(at_1);
}

Task<Words> exchange_words(Party& party, Words mine, std::size_t lanes, Label label) {
  Words of_0;
  Words of_1;
  (party.is(0) ? of_0 : of_1) = std::move(mine);
  auto [at_1, at_0] = co_await when_all(deliver(party, 0, 1, std::move(of_0), lanes, label),
                                        deliver(party, 1, 0, std::move(of_1), lanes, label));
  if (party.is(0)) co_return std::move(at_0);
  co_return std::move(at_1);
}

}  // namespace sotto::protocols
