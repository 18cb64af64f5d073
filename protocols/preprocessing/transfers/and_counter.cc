#include "protocols/preprocessing/transfers/and_counter.h"

namespace sotto::protocols {

Task<BitPieces> AndCounter::and_bits(Party&, BitPieces x, BitPieces, Label) {
  words_ += plane_words(x.lanes);
  co_return BitPieces{x.lanes, {}, {}};
}

Task<Words> AndCounter::open_bits(Party&, BitPieces, Label) { co_return Words{}; }

Task<PoolVector<Additive>> AndCounter::bits_as_shares(Party&, std::size_t, NumberPieces bits, RingWidths, Label) {
  co_return PoolVector<Additive>(bits.size());
}

Task<void> AndCounter::make_ready(Party&, const DryRun&) { co_return; }

Task<ProductShares> AndCounter::make_products(Party&) { co_return ProductShares{}; }

Task<void> AndCounter::confirm_same_requests(Party&) { co_return; }

}  // namespace sotto::protocols
