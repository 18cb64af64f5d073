#include "protocols/preprocessing/replicated/pair_keys.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "protocols/preprocessing/replicated/replicated.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/io/deliver.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::protocols {
namespace {

std::uint64_t mixed(std::uint64_t digest, std::uint64_t value) {
  digest = (digest ^ value) * 0x9e3779b97f4a7c15u;
  return digest ^ (digest >> 29);
}

[[noreturn]] void fail_out_of_step(Party& party, NodeId other) {
  const std::string name = party.topology().name(other);
  throw ProtocolError(ProtocolError::Kind::wrong_digest, name, party.rounds().round(),
                      name + " drew other correlations: it runs another program or another version");
}

}  // namespace

namespace {

// The seeds of requests. HKDF derives a seed for a block of requests, because one derivation takes as long as the words
// of a small request.
class RequestSeeds {
 public:
  explicit RequestSeeds(Seed of_epoch) : of_epoch_(std::move(of_epoch)) {}
  [[nodiscard]] const Seed& of(std::uint64_t request) {
    const std::uint64_t block = request / block_size;
    if (seeds_.empty() || block_ != block) begin(block);
    return seeds_[request % block_size];
  }

 private:
  static constexpr std::uint64_t block_size = 256;
  void begin(std::uint64_t block) {
    Prg expansion(of_epoch_.derive(fmt::format("requests {}", block)));
    std::array<std::byte, Seed::size> bytes{};
    seeds_.clear();
    for (std::uint64_t i = 0; i < block_size; ++i) {
      expansion.bytes(bytes);
      seeds_.push_back(Seed::from_bytes(bytes));
    }
    block_ = block;
  }

  Seed of_epoch_;
  std::uint64_t block_ = 0;
  std::vector<Seed> seeds_;
};

}  // namespace

PairExpansion pair_expansion(const Seed& key, const std::string& label) {
  return [seeds = std::make_shared<RequestSeeds>(key.derive(label))](std::uint64_t request,
                                                                     std::span<std::uint64_t> out, unsigned bits) {
    Prg(seeds->of(request)).fill(out, bits);
  };
}

PairKeys::PairKeys(NodeId self, PairExpansion own, PairExpansion next)
    : PieceProtocols(self), own_(std::move(own)), next_(std::move(next)) {
  if (self >= replicated_parties) throw std::invalid_argument("pair keys are for three parties");
}

void PairKeys::add_owner(NodeId owner, PoolVector<PairExpansion> keys) {
  if (owner < replicated_parties || keys.size() != (self() ? 2 : replicated_parties)) {
    throw std::invalid_argument("a node outside shares two keys with each party and knows three");
  }
  of_owners_[owner] = std::move(keys);
}

std::uint64_t PairKeys::begin(Kind kind, std::size_t lanes, unsigned bits, unsigned detail) {
  digest_ = mixed(digest_, requests_);
  digest_ = mixed(digest_, static_cast<std::uint64_t>(kind) << 16 | detail << 8 | bits);
  digest_ = mixed(digest_, lanes);
  return requests_++;
}

Words PairKeys::expanded(const PairExpansion& key, std::uint64_t request, std::size_t lanes, unsigned bits) const {
  Words words(lanes);
  key(request, words, bits);
  return words;
}

WordPieces PairKeys::uniform(std::size_t lanes, unsigned bits) {
  const std::uint64_t request = begin(Kind::uniform, lanes, bits, 0);
  WordPieces result{lanes, bits, {}, {}};
  if (!self()) return result;
  result.own = expanded(own_, request, lanes, bits);
  result.next = expanded(next_, request, lanes, bits);
  return result;
}

Words PairKeys::zero(std::size_t lanes, unsigned bits, Group group) {
  const std::uint64_t request = begin(Kind::zero, lanes, bits, static_cast<unsigned>(group));
  if (!self()) return {};
  Words words = expanded(own_, request, lanes, bits);
  const Words next = expanded(next_, request, lanes, bits);
  const std::uint64_t ring = ring_mask(bits);
  for (std::size_t i = 0; i < lanes; ++i) {
    words[i] = group == Group::sum ? (words[i] - next[i]) & ring : words[i] ^ next[i];
  }
  return words;
}

Words PairKeys::of_pair(NodeId holder, std::size_t lanes, unsigned bits) {
  const std::uint64_t request = begin(Kind::of_pair, lanes, bits, holder);
  if (self() == holder) return expanded(own_, request, lanes, bits);
  if (self() == previous_of(holder)) return expanded(next_, request, lanes, bits);
  return {};
}

InputPieces PairKeys::of_owner(NodeId owner, std::size_t lanes) {
  if (owner < replicated_parties) throw std::invalid_argument("the mask of a node outside is not that of a party");
  const std::uint64_t request = begin(Kind::of_owner, lanes, 64, owner);
  InputPieces result{{lanes, 64, {}, {}}, {}};
  const auto keys = of_owners_.find(owner);
  if (keys == of_owners_.end()) return result;
  if (self()) {
    result.mask.own = expanded(keys->second[0], request, lanes, 64);
    result.mask.next = expanded(keys->second[1], request, lanes, 64);
    return result;
  }
  result.known.assign(lanes, 0);
  for (const PairExpansion& key : keys->second) {
    const Words piece = expanded(key, request, lanes, 64);
    for (std::size_t i = 0; i < lanes; ++i) result.known[i] += piece[i];
  }
  return result;
}

Task<void> confirm_same_requests(Party& party, const PairKeys& keys) {
  Words mine;
  if (keys.self()) mine.push_back(keys.digest());
  PoolVector<Task<Words>> digests;
  digests.push_back(pass_back(party, std::move(mine), 1, "digest of requests"));
  for (NodeId owner = replicated_parties; owner < party.topology().nodes(); ++owner) {
    Words of_owner(party.is(owner) ? 1 : 0, keys.digest());
    digests.push_back(deliver(party, owner, 0, std::move(of_owner), 1, "digest of requests"));
  }
  const PoolVector<Words> received = co_await when_all(std::move(digests));
  for (NodeId i = 0; i < received.size(); ++i) {
    if (received[i].empty() || received[i][0] == keys.digest()) continue;
    fail_out_of_step(party, i == 0 ? next_of(*keys.self()) : static_cast<NodeId>(replicated_parties + i - 1));
  }
}

}  // namespace sotto::protocols
