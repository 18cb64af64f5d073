#include "protocols/preprocessing/transfers/bit_triples.h"

#include <utility>
#include <vector>

#include "core/transfer/extension.h"
#include "protocols/preprocessing/transfers/transfer_pair.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/random/prg.h"

namespace sotto::protocols {

Task<BitTriples> make_bit_triples(Party& party, TransferPair& transfers, std::size_t words) {
  const std::size_t size = extension_bytes(transfers.k, bits_in_words(words));
  BitTriples triples;
  Words chosen;
  std::vector<std::byte> message;
  if (transfers.receiver) {
    triples.a.assign(words, 0);
    Prg(Seed::from_os()).fill(triples.a, 64);
    chosen.assign(words, 0);
    message.resize(size);
    receive_bits(*transfers.receiver, triples.a, chosen, message);
  }
  message = co_await exchange_bytes(party, std::move(message), size, "bits of transfers");
  if (transfers.sender) {
    triples.b.assign(words, 0);
    triples.c.assign(words, 0);
    send_bits(*transfers.sender, message, triples.b, triples.c);
    for (std::size_t i = 0; i < words; ++i) {
      const std::uint64_t zero = triples.b[i];
      const std::uint64_t one = triples.c[i];
      triples.c[i] = triple_share(triples.a[i], chosen[i], zero, one);
      triples.b[i] = zero ^ one;
    }
  }
  co_return triples;
}

Task<Words> and_with_triples(Party& party, BitTriples triples, std::size_t words, Words x, Words y) {
  const bool computes = party.is(0) || party.is(1);
  const std::size_t own = computes ? words : 0;
  require_argument(triples.a.size() == own && triples.b.size() == own && triples.c.size() == own && x.size() == own &&
                       y.size() == own,
                   "a triple, x and y for each AND");
  for (std::size_t i = 0; i < own; ++i) {
    x[i] ^= triples.a[i];
    y[i] ^= triples.b[i];
  }
  Words masked = x;
  masked.insert(masked.end(), y.begin(), y.end());
  const Words theirs = co_await exchange_words(party, std::move(masked), 2 * words, "bits under triples");
  Words shares = std::move(triples.c);
  for (std::size_t i = 0; i < own; ++i) {
    x[i] ^= theirs[i];
    y[i] ^= theirs[words + i];
    shares[i] ^= (x[i] & triples.b[i]) ^ (y[i] & triples.a[i]);
    if (party.is(0)) shares[i] ^= x[i] & y[i];
  }
  co_return shares;
}

}  // namespace sotto::protocols
