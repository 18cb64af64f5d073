// AndCounter: counts the ANDs that a recording takes of two parties, in words of 64. It plays a role that holds
// nothing, and nothing is sent: TransferPieces makes triples for all of them in one round.
#pragma once

#include <cstddef>

#include "protocols/preprocessing/transfers/two_party_circuits.h"

namespace sotto::protocols {

class AndCounter final : public TwoPartyCircuits {
 public:
  AndCounter() : TwoPartyCircuits(std::nullopt) {}
  [[nodiscard]] std::size_t words() const noexcept { return words_; }

  [[nodiscard]] WordPieces uniform(std::size_t lanes, unsigned bits) override { return {lanes, bits, {}, {}}; }
  [[nodiscard]] InputPieces input(NodeId, std::size_t lanes) override { return {{lanes, 64, {}, {}}, {}}; }
  [[nodiscard]] Words zero(std::size_t, unsigned, Group) override { return {}; }
  [[nodiscard]] Task<BitPieces> and_bits(Party& party, BitPieces x, BitPieces y, Label label) override;
  [[nodiscard]] Task<Words> open_bits(Party& party, BitPieces bits, Label label) override;
  [[nodiscard]] Task<PoolVector<Additive>> bits_as_shares(Party& party, std::size_t turn, NumberPieces bits,
                                                          RingWidths widths, Label label) override;
  [[nodiscard]] Task<void> make_ready(Party& party, const DryRun& dry_run) override;
  void note_product(const BilinearMap&, unsigned, const Holders&, const Holders&) override {}
  void note_cut(const BilinearMap&, Operand, unsigned, const Holders&) override {}
  void note_triples(std::size_t, unsigned, Group) override {}
  void note_product_of(const BilinearMap&, const WordPieces&, const WordPieces&) override {}
  void note_cut_of(const BilinearMap&, Operand, unsigned, const Words&, const WordPieces&, const WordPieces&) override {
  }
  [[nodiscard]] Task<ProductShares> make_products(Party& party) override;
  [[nodiscard]] Additive finished_product(const BilinearMap&, Additive) const override { return {}; }
  [[nodiscard]] Triples triples(std::size_t, unsigned, Group) override { return {}; }
  [[nodiscard]] std::uint64_t digest() const noexcept override { return 0; }
  [[nodiscard]] Task<void> confirm_same_requests(Party& party) override;

 private:
  std::size_t words_ = 0;
};

}  // namespace sotto::protocols
