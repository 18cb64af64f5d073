#include "protocols/preprocessing/transfers/transfer_pieces.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <stdexcept>
#include <utility>

#include "protocols/preprocessing/recorded/bit_planes.h"
#include "protocols/preprocessing/transfers/transfer_pair.h"
#include "protocols/preprocessing/transfers/transfer_products.h"
#include "protocols/preprocessing/transfers/two_party_circuits.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/boolean/bits.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/io/deliver.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::protocols {
namespace {

std::uint64_t mixed_in(std::uint64_t digest, std::uint64_t value) {
  digest = (digest ^ value) * 0x9e3779b97f4a7c15u;
  return digest ^ (digest >> 29);
}

Words of_key(const Seed& key, std::uint64_t request, std::size_t lanes, unsigned bits) {
  Words words(lanes);
  Prg(key.derive(fmt::format("request {}", request))).fill(words, bits);
  return words;
}

}  // namespace

TransferPieces::TransferPieces(std::optional<NodeId> self, std::optional<NodeId> node, TransferKeys keys,
                               std::shared_ptr<TransferPair> transfers)
    : TwoPartyCircuits(self), node_(node), keys_(std::move(keys)), transfers_(std::move(transfers)) {}

std::uint64_t TransferPieces::begin(Kind kind, std::size_t lanes, unsigned bits, unsigned detail) {
  digest_ = mixed_in(digest_, requests_);
  digest_ = mixed_in(digest_, static_cast<std::uint64_t>(kind) << 16 | detail << 8 | bits);
  digest_ = mixed_in(digest_, lanes);
  return requests_++;
}

WordPieces TransferPieces::uniform(std::size_t lanes, unsigned bits) {
  const std::uint64_t request = begin(Kind::uniform, lanes, bits, 0);
  WordPieces result{lanes, bits, {}, {}};
  if (self()) result.own = of_key(*keys_.own, request, lanes, bits);
  return result;
}

InputPieces TransferPieces::input(NodeId owner, std::size_t lanes) {
  const std::uint64_t request = begin(Kind::input, lanes, 64, owner);
  InputPieces input{{lanes, 64, {}, {}}, {}};
  if (owner < 2) {
    if (self()) input.mask.own.assign(lanes, 0);
    if (self() == owner) {
      input.mask.own = of_key(*keys_.own, request, lanes, 64);
      input.known = input.mask.own;
    }
    return input;
  }
  if (self()) {
    input.mask.own = of_key(*keys_.owners.at(owner), request, lanes, 64);
  } else if (node_ == owner) {
    input.known = of_key(*keys_.with_0, request, lanes, 64);
    const Words other = of_key(*keys_.with_1, request, lanes, 64);
    for (std::size_t i = 0; i < lanes; ++i) input.known[i] += other[i];
  }
  return input;
}

Words TransferPieces::zero(std::size_t lanes, unsigned bits, Group group) {
  const std::uint64_t request = begin(Kind::zero, lanes, bits, static_cast<unsigned>(group));
  if (!self()) return {};
  Words words = of_key(*keys_.pair, request, lanes, bits);
  if (group == Group::sum && self() == NodeId{1}) {
    for (std::uint64_t& word : words) word = (0 - word) & ring_mask(bits);
  }
  return words;
}

BitTriples TransferPieces::taken(std::size_t words) {
  if (words > stock_words_ - stock_at_) throw std::logic_error("more ANDs than were recorded");
  BitTriples some;
  some.a = slice(stock_.a, stock_at_, words);
  some.b = slice(stock_.b, stock_at_, words);
  some.c = slice(stock_.c, stock_at_, words);
  stock_at_ += words;
  return some;
}

Task<void> TransferPieces::make_ready(Party& party, const DryRun& dry_run) {
  AndCounter counter;
  dry_run(counter);
  stock_words_ = counter.words();
  stock_at_ = 0;
  for (const TripleRequest& request : triple_requests_) {
    if (request.group == Group::exclusive_or) stock_words_ += packed_words(request.lanes, request.bits);
  }
  stock_ = BitTriples();
  if (stock_words_ != 0) stock_ = co_await make_bit_triples(party, *transfers_, stock_words_);
}

Task<BitPieces> TransferPieces::and_bits(Party& party, BitPieces x, BitPieces y, Label) {
  require_argument(x.lanes == y.lanes, "an AND of pieces of other sizes");
  const std::size_t words = plane_words(x.lanes);
  BitPieces result{x.lanes, {}, {}};
  if (words == 0) co_return result;
  BitTriples triples = taken(words);
  result.own = co_await and_with_triples(party, std::move(triples), words, std::move(x.own), std::move(y.own));
  co_return result;
}

Task<Words> TransferPieces::open_bits(Party& party, BitPieces bits, Label label) {
  Words mine = bits.own;
  Words opened = co_await exchange_words(party, std::move(mine), plane_words(bits.lanes), label);
  for (std::size_t i = 0; i < opened.size(); ++i) opened[i] ^= bits.own[i];
  co_return opened;
}

// The sender and the receiver of a transfer send different numbers of bytes, so each party is the sender for half of
// the lanes.
Task<PoolVector<Additive>> TransferPieces::bits_as_shares(Party& party, std::size_t, NumberPieces bits,
                                                          RingWidths widths, Label label) {
  require_argument(!bits.empty() && bits.size() == widths.size(), "a ring for each bit that becomes a number");
  const std::size_t lanes = bits[0].lanes;
  std::map<unsigned, PoolVector<std::size_t>> planes;
  PoolVector<Additive> result(bits.size());
  for (std::size_t b = 0; b < bits.size(); ++b) {
    require_argument(bits[b].lanes == lanes, "bits of as many lanes");
    result[b].words = numbers_of(bits[b].own, lanes, 1);
    // In Z/2 the pieces of a bit are already its shares.
    if (widths[b] != 1) planes[widths[b]].push_back(b);
  }
  if (planes.empty()) co_return result;
  const std::array<std::size_t, 3> begins{0, lanes / 2, lanes};
  PoolVector<Task<PoolVector<Words>>> tasks;
  for (const NodeId sender : {NodeId{0}, NodeId{1}}) {
    const std::size_t first = begins.at(sender);
    const std::size_t count = begins.at(sender + std::size_t{1}) - first;
    PoolVector<RingProducts> shapes;
    PoolVector<Words> factors;
    for (const auto& [width, numbers] : planes) {
      shapes.push_back({numbers.size() * count, 1, width - 1, 1});
      Words factor;
      for (const std::size_t b : numbers) {
        const Words some = slice(result[b].words, first, count);
        factor.insert(factor.end(), some.begin(), some.end());
      }
      factors.push_back(std::move(factor));
    }
    if (count != 0) {
      tasks.push_back(one_way_products(party, *transfers_, sender, std::move(shapes), std::move(factors), label));
    }
  }
  const PoolVector<PoolVector<Words>> products = co_await when_all(std::move(tasks));
  if (!self()) co_return result;
  auto way = products.begin();
  for (const NodeId sender : {NodeId{0}, NodeId{1}}) {
    const std::size_t first = begins.at(sender);
    const std::size_t last = begins.at(sender + std::size_t{1});
    if (first == last) continue;
    auto product = way++->begin();
    for (const auto& [width, numbers] : planes) {
      const std::uint64_t* next = (product++)->data();
      for (const std::size_t b : numbers) {
        Words& words = result[b].words;
        for (std::size_t lane = first; lane < last; ++lane) {
          words[lane] = (words[lane] - 2 * *next++) & ring_mask(width);
        }
      }
    }
  }
  co_return result;
}

void TransferPieces::note_triples(std::size_t lanes, unsigned bits, Group group) {
  triple_requests_.push_back({lanes, bits, group});
  if (group == Group::sum) rows_.note_lanes(lanes, bits);
}

void TransferPieces::note_product_of(const BilinearMap& map, const WordPieces& x, const WordPieces& y) {
  rows_.map_operands(*self(), map, x, y, {});
}

void TransferPieces::note_cut_of(const BilinearMap& map, Operand, unsigned, const Words& factors, const WordPieces& x,
                                 const WordPieces& y) {
  rows_.map_operands(*self(), map, x, y, factors);
}

Task<ProductShares> TransferPieces::make_products(Party& party) {
  triples_.clear();
  triples_at_ = 0;
  for (const TripleRequest& request : triple_requests_) {
    Triples made;
    if (request.group == Group::sum) {
      made.a.words = uniform(request.lanes, request.bits).own;
      made.b.words = uniform(request.lanes, request.bits).own;
      if (self()) rows_.lane_operands(*self(), made.a.words, made.b.words);
    } else {
      BitTriples some = taken(packed_words(request.lanes, request.bits));
      made.a.words = unpack_bits(some.a, request.lanes, request.bits);
      made.b.words = unpack_bits(some.b, request.lanes, request.bits);
      made.c.words = unpack_bits(some.c, request.lanes, request.bits);
    }
    triples_.push_back(std::move(made));
  }
  ProductRows::Made made = co_await rows_.make(party, *transfers_);
  std::size_t lanes = 0;
  for (std::size_t i = 0; i < triples_.size(); ++i) {
    if (triple_requests_[i].group == Group::sum) triples_[i].c.words = std::move(made.lanes[lanes++]);
  }
  triple_requests_.clear();
  co_return std::move(made.of_maps);
}

Additive TransferPieces::finished_product(const BilinearMap& map, Additive product) const {
  if (!self()) return {};
  if (product.words.size() != map.pairs()) throw std::logic_error("another product than the recorded one");
  const Words ones(map.left.lanes(), 1);
  Additive sum{Words(map.out.lanes(), 0)};
  map.left_pairs(sum.words.data(), ones.data(), product.words.data());
  return sum;
}

Triples TransferPieces::triples(std::size_t lanes, unsigned, Group) {
  if (triples_at_ >= triples_.size()) throw std::logic_error("more triples than were recorded");
  Triples made = std::move(triples_[triples_at_++]);
  if (self() && made.a.words.size() != lanes) throw std::logic_error("other triples than were recorded");
  return made;
}

Task<void> TransferPieces::confirm_same_requests(Party& party) {
  Words mine;
  if (self()) mine.push_back(digest_);
  PoolVector<Task<Words>> digests;
  digests.push_back(exchange_words(party, std::move(mine), 1, "digest of requests"));
  for (NodeId owner = 2; owner < party.topology().nodes(); ++owner) {
    Words of_owner(party.is(owner) ? 1 : 0, digest_);
    digests.push_back(deliver(party, owner, 0, std::move(of_owner), 1, "digest of requests"));
  }
  const PoolVector<Words> heard = co_await when_all(std::move(digests));
  for (std::size_t i = 0; i < heard.size(); ++i) {
    if (heard[i].empty() || heard[i][0] == digest_) continue;
    const std::string name = party.topology().name(static_cast<NodeId>(i == 0 ? 1 - *self() : i + 1));
    throw ProtocolError(ProtocolError::Kind::wrong_digest, name, party.rounds().round(),
                        name + " drew other correlations: it runs another program or another version");
  }
}

}  // namespace sotto::protocols
