#include "sotto/protocols/preprocessing/replicated/pair_keys.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sotto/core/async/when_all.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/random/prg.h"
#include "sotto/core/ring/fixed_point.h"
#include "sotto/protocols/io/deliver.h"
#include "sotto/protocols/preprocessing/replicated/helped_keys.h"
#include "sotto/protocols/preprocessing/replicated/pass.h"

namespace sotto::protocols {
namespace {

std::uint64_t mixed(std::uint64_t digest, std::uint64_t value) {
  digest = (digest ^ value) * 0x9e3779b97f4a7c15u;
  return digest ^ (digest >> 29);
}

std::string owner_label(NodeId key) { return fmt::format("owner key {}", key); }

[[noreturn]] void fail_out_of_step(Party& party, NodeId other) {
  const std::string name = party.topology().name(other);
  throw ProtocolError(ProtocolError::Kind::wrong_digest, name, party.rounds().round(),
                      name + " drew other correlations: it runs another program or another version");
}

}  // namespace

namespace {

// The seeds of requests, some at a time: a derivation takes as long as the words of a small request.
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
  // Shared, as a function is copied and a seed is not.
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

namespace {

using SharedSeed = std::shared_ptr<const Seed>;

// The keys that a role has.
struct PairSeeds {
  std::optional<NodeId> self;
  SharedSeed own, next;
  std::map<NodeId, PoolVector<SharedSeed>> of_owners;  // as PairKeys::add_owner takes them

  [[nodiscard]] PairKeys keys(const std::string& label) const {
    PairKeys keys;
    if (self) keys = PairKeys(*self, pair_expansion(*own, label), pair_expansion(*next, label));
    for (const auto& [owner, seeds] : of_owners) {
      PoolVector<PairExpansion> expansions;
      for (const SharedSeed& seed : seeds) expansions.push_back(pair_expansion(*seed, label));
      keys.add_owner(owner, std::move(expansions));
    }
    return keys;
  }
};

SharedSeed shared(Seed seed) { return std::make_shared<const Seed>(std::move(seed)); }

Task<PairSeeds> agree_on_seeds(Party& party, Seed secret) {
  const Topology& topology = party.topology();
  if (topology.parties() + (topology.has_helper() ? 1 : 0) != replicated_parties || topology.has_dealer()) {
    throw std::invalid_argument("pair keys are for three compute parties, or two and a helper, without a dealer");
  }
  // Key i is of party i's making; keys of a node outside are of its own.
  const Seed own = secret.derive("pair key");
  PoolVector<Task<std::optional<Seed>>> deliveries;
  for (NodeId i = 0; i < replicated_parties; ++i) {
    deliveries.push_back(deliver_seed(party, i, previous_of(i), &own, "pair key"));
  }
  for (NodeId owner = replicated_parties; owner < topology.nodes(); ++owner) {
    for (NodeId i = 0; i < replicated_parties; ++i) {
      const Seed at_own = secret.derive(owner_label(i));
      const Seed at_next = secret.derive(owner_label(next_of(i)));
      deliveries.push_back(deliver_seed(party, owner, i, &at_own, "owner key"));
      deliveries.push_back(deliver_seed(party, owner, i, &at_next, "owner key"));
    }
  }
  auto received = co_await when_all(std::move(deliveries));

  PairSeeds seeds;
  for (NodeId i = 0; i < replicated_parties; ++i) {
    std::optional<Seed>& next = received[next_of(i)];
    if (!next) continue;
    seeds.self = i;
    seeds.own = shared(secret.derive("pair key"));
    seeds.next = shared(std::move(*next));
  }
  std::size_t at = replicated_parties;
  for (NodeId owner = replicated_parties; owner < topology.nodes(); ++owner) {
    PoolVector<SharedSeed> of_owner;
    for (NodeId i = 0; i < replicated_parties; ++i) {
      if (party.is(owner)) of_owner.push_back(shared(secret.derive(owner_label(i))));
      for (int key = 0; key < 2; ++key, ++at) {
        if (received[at]) of_owner.push_back(shared(std::move(*received[at])));
      }
    }
    if (!of_owner.empty()) seeds.of_owners[owner] = std::move(of_owner);
  }
  co_return std::move(seeds);
}

}  // namespace

Task<PairKeys> agree_on_pair_keys(Party& party, Seed secret, std::string label) {
  const PairSeeds seeds = co_await agree_on_seeds(party, std::move(secret));
  co_return seeds.keys(label);
}

Task<MakePieces> agree_on_pair_pieces(Party& party, Seed secret) {
  PairSeeds seeds = co_await agree_on_seeds(party, std::move(secret));
  const bool helped = party.topology().has_helper();
  co_return [helped, seeds = std::move(seeds)](const std::string& label) -> std::unique_ptr<PieceProtocols> {
    if (helped) return std::make_unique<HelpedKeys>(seeds.keys(label));
    return std::make_unique<PairKeys>(seeds.keys(label));
  };
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
  const PoolVector<Words> heard = co_await when_all(std::move(digests));
  for (NodeId i = 0; i < heard.size(); ++i) {
    if (heard[i].empty() || heard[i][0] == keys.digest()) continue;
    fail_out_of_step(party, i == 0 ? next_of(*keys.self()) : static_cast<NodeId>(replicated_parties + i - 1));
  }
}

}  // namespace sotto::protocols
