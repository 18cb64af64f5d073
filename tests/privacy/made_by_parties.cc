#include "tests/privacy/experiment.h"

#include "core/transfer/extension_set_up.h"
#include "core/transfer/leaf_sums.h"
#include "protocols/preprocessing/recorded/run_recorded.h"
#include "protocols/preprocessing/replicated/helped_keys.h"
#include "protocols/preprocessing/replicated/pair_keys.h"
#include "protocols/preprocessing/transfers/transfer_pieces.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::privacy {
namespace {

using namespace protocols;

std::optional<NodeId> self_of(const Party& party) {
  for (NodeId node = 0; node < party.topology().nodes(); ++node) {
    if (party.is(node)) return node;
  }
  return std::nullopt;
}

std::string numbered(const char* what, std::size_t a, std::size_t b = 0) {
  return std::string(what) + " " + std::to_string(a) + " " + std::to_string(b);
}

template <class Keys>
class KeysOfRun final : public Keys {
 public:
  KeysOfRun(PairKeys keys, bool zeros) : Keys(std::move(keys)), zeros_(zeros) {}
  [[nodiscard]] Words zero(std::size_t lanes, unsigned bits, Group group) override {
    Words words = Keys::zero(lanes, bits, group);
    if (!zeros_) std::fill(words.begin(), words.end(), 0);
    return words;
  }

 private:
  bool zeros_;
};

PairExpansion noted(const Seed& key, Numbers& first_words) {
  return [expansion = pair_expansion(key, "privacy"), &first_words](std::uint64_t request, std::span<std::uint64_t> out,
                                                                    unsigned bits) {
    expansion(request, out, bits);
    if (!out.empty()) first_words.push_back(out.front());
  };
}

std::unique_ptr<PieceProtocols> pair_keys_of_run(const Party& party, const Seed& run, bool zeros,
                                                 Numbers& first_words) {
  const std::optional<NodeId> self = self_of(party);
  const Topology& topology = party.topology();
  const auto key = [&](const char* what, std::size_t a, std::size_t b = 0) {
    return noted(run.derive(numbered(what, a, b)), first_words);
  };
  PairKeys keys;
  if (self && *self < 3) keys = PairKeys(*self, key("pair", *self), key("pair", next_of(*self)));
  for (NodeId owner = 3; self && owner < topology.nodes(); ++owner) {
    PoolVector<PairExpansion> of_owner;
    for (NodeId i = 0; i < 3; ++i) {
      if (*self == owner) of_owner.push_back(key("owner", owner, i));
    }
    if (*self < 3) {
      of_owner.push_back(key("owner", owner, *self));
      of_owner.push_back(key("owner", owner, next_of(*self)));
    }
    if (!of_owner.empty()) keys.add_owner(owner, std::move(of_owner));
  }
  if (topology.has_helper()) return std::make_unique<KeysOfRun<HelpedKeys>>(std::move(keys), zeros);
  return std::make_unique<KeysOfRun<PairKeys>>(std::move(keys), zeros);
}

constexpr unsigned k = 4;

Bits128 bits_of(const Seed& seed) {
  Bits128 bits;
  std::memcpy(&bits, seed.expose().data(), sizeof bits);
  return bits;
}

// Returns the tree as the sender knows it: without the leaf with the number `missing`.
LeafSums trees_of_sender(const KeyTree& tree, std::uint64_t missing) {
  std::vector<Bits128> sums;
  for (unsigned level = 0; level < k; ++level) sums.push_back(tree.sums[level][1 - (missing >> (k - 1 - level) & 1)]);
  return {grow_punctured_tree(missing, sums), true};
}

void add_end(TransferPair& pair, const Seed& seed, NodeId sender, bool is_sender) {
  const TransferLabel label{{}, sender, 0};
  const Bits128 difference = bits_of(seed.derive("difference"));
  std::vector<LeafSums> trees;
  for (unsigned i = 0; i < 128 / k; ++i) {
    const KeyTree tree = grow_tree(seed.derive(numbered("tree", i)), k);
    const std::uint64_t missing = difference.word[i * k / 64] >> i * k % 64 & 15;
    trees.push_back(is_sender ? trees_of_sender(tree, missing) : LeafSums(tree.leaves, false));
  }
  TransferHash hash(label.session);
  if (is_sender) {
    pair.sender.emplace(k, std::move(trees), difference, std::move(hash), Tweaks(sender));
  } else {
    pair.receiver.emplace(k, std::move(trees), std::move(hash), Tweaks(sender));
  }
}

TransferPieces transfer_pieces_of_run(const Party& party, const Seed& keys_of, const Seed& transfers_of) {
  const std::optional<NodeId> node = self_of(party);
  const auto key = [&](const char* what, std::size_t a, std::size_t b = 0) {
    return std::make_shared<const Seed>(keys_of.derive(numbered(what, a, b)));
  };
  TransferKeys keys;
  TransferPair pair{k, std::nullopt, std::nullopt};
  if (!node) return {std::nullopt, std::nullopt, std::move(keys), std::make_shared<TransferPair>(std::move(pair))};
  if (*node >= 2) {
    keys.with_0 = key("owner", *node, 0);
    keys.with_1 = key("owner", *node, 1);
    return {std::nullopt, node, std::move(keys), std::make_shared<TransferPair>(std::move(pair))};
  }
  keys.own = key("own", *node);
  keys.pair = key("pair", 0);
  for (NodeId owner = 0; owner < party.topology().nodes(); ++owner) keys.owners.push_back(key("owner", owner, *node));
  for (NodeId sender = 0; sender < 2; ++sender) {
    add_end(pair, transfers_of.derive(numbered("sender", sender)), sender, *node == sender);
  }
  return {node, node, std::move(keys), std::make_shared<TransferPair>(std::move(pair))};
}

}  // namespace

Task<Numbers> made_by_parties(Party& party, std::uint64_t run, Flaw flaw, Program program, Program recorded) {
  const Seed of_run = Seed::insecure_from_number(run);
  const bool again = flaw == Flaw::same_keys || flaw == Flaw::same_transfers;
  Numbers first_words;
  for (std::size_t time = 0; time < (again ? 2 : 1); ++time) {
    const Seed keys_of = of_run.derive(numbered("keys", flaw == Flaw::same_keys ? 0 : time));
    if (party.topology().parties() == 3 || party.topology().has_helper()) {
      const auto keys = pair_keys_of_run(party, keys_of, flaw != Flaw::no_zeros, first_words);
      (void)co_await run_recorded(party, *keys, program, recorded);
    } else {
      const Seed transfers_of = of_run.derive(numbered("transfers", flaw == Flaw::same_transfers ? 0 : time));
      TransferPieces pieces = transfer_pieces_of_run(party, keys_of, transfers_of);
      (void)co_await run_recorded(party, pieces, program, recorded);
    }
  }
  co_return first_words;
}

}  // namespace sotto::privacy
