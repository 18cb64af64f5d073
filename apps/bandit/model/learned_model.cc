#include "apps/bandit/model/learned_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/protocol/arithmetic/bilinear.h"
#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/io/checkpoint_shares.h"
#include "sotto/protocol/io/deliver.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/io/open.h"

namespace sotto::apps::bandit {
namespace {

std::vector<std::uint64_t> identities(std::size_t arms, std::size_t d, unsigned bits) {
  std::vector<std::uint64_t> words;
  words.reserve(arms * protocols::triangle(d));
  for (std::size_t a = 0; a < arms; ++a) {
    for (std::size_t i = 0; i < d; ++i) {
      words.push_back(std::uint64_t{1} << bits);
      words.insert(words.end(), d - 1 - i, 0);
    }
  }
  return words;
}

Arith finer(std::string_view what, const Arith& value, unsigned bits) {
  if (value.scale() > bits) {
    throw InputError(
        fmt::format("the model that this run begins from has {} at {} fraction bits, and this run would use {}: keep "
                    "the earlier bits and rewards, and set fewer steps",
                    what, value.scale(), bits));
  }
  const unsigned more = bits - value.scale();
  return value.times(std::uint64_t{1} << more, more);
}

Task<Masked> masked_at(Party& party, Arith value, unsigned bits, Label label) {
  if (value.scale() < bits) value = finer(label.text(), value, bits);
  return copy_at(party, std::move(value), bits, label);
}

using namespace protocols;

constexpr std::size_t id_words = sizeof(CheckpointId) / sizeof(std::uint64_t);

Words id_of(const Party& party, BanditSite& site, std::uint64_t steps, const Masked& first, const Masked& second) {
  Words words;
  pass_public_words(
      party,
      [&](std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
        std::vector<std::uint64_t> all(a.begin(), a.end());
        all.insert(all.end(), b.begin(), b.end());
        const CheckpointId id =
            site.checkpoints() == nullptr ? CheckpointId{} : site.checkpoints()->name_checkpoint(steps, digest_of(all));
        words.resize(id_words);
        std::memcpy(words.data(), id.data(), id.size());
      },
      first, second);
  return words;
}

std::vector<std::uint64_t> own_shares(const Party& party, const std::vector<Arith>& values) {
  std::vector<std::uint64_t> all;
  for (const Arith& value : values) {
    pass_shares(party, value, [&](auto words) { all.insert(all.end(), words.begin(), words.end()); });
  }
  return all;
}

std::size_t lanes_of(const std::vector<Arith>& values) {
  std::size_t lanes = 0;
  for (const Arith& value : values) lanes += value.lanes();
  return lanes;
}

std::vector<Arith> values_of(const Party& party, const std::vector<Arith>& like, std::span<const std::uint64_t> words) {
  std::vector<Arith> values;
  values.reserve(like.size());
  for (const Arith& value : like) {
    values.push_back(shares_from(party, value.shape(), value.scale(), [&](std::span<std::uint64_t> out) {
      std::copy_n(words.begin(), out.size(), out.begin());
      words = words.subspan(out.size());
    }));
  }
  return values;
}

}  // namespace

LearnedModel initial_model(const Party& party, const BanditParameters& parameters, ModelBits bits) {
  const std::size_t d = parameters.features();
  const Shape triangles{parameters.arms, protocols::triangle(d)};
  const Shape rows{parameters.arms, d};
  const std::vector<std::uint64_t> zeros(rows.lanes(), 0);
  const auto identity = [&](unsigned scale) {
    return Masked::constant(party, triangles, scale, identities(parameters.arms, d, scale));
  };
  return LearnedModel{identity(bits.gram).shares(party),
                      Masked::constant(party, rows, bits.targets, zeros).shares(party), identity(bits.inverse),
                      Masked::constant(party, rows, bits.weights, zeros)};
}

KeptModel kept(const Party& party, const LearnedModel& model) {
  return KeptModel{{model.inverse.shares(party), model.gram}, {model.weights.shares(party), model.targets}};
}

Task<LearnedModel> restored(Party& party, BanditSite& site, std::uint64_t steps, LearnedModel fresh) {
  KeptModel shares = load_model(party, site, steps, kept(party, fresh));
  auto [W, w] = co_await when_all(protocols::mask(party, std::move(shares.matrices[0]), "W again"),
                                  protocols::mask(party, std::move(shares.vectors[0]), "w again"));
  co_return LearnedModel{std::move(shares.matrices[1]), std::move(shares.vectors[1]), std::move(W), std::move(w)};
}

Task<LearnedModel> begun(Party& party, BanditSite& site, const BanditParameters& parameters, LearnedModel fresh) {
  const KeptModel like = kept(party, initial_model(party, parameters, parameters.before));
  KeptModel shares = load_model(party, site, 0, like);
  Arith gram = finer("A", shares.matrices[1], fresh.gram.scale());
  Arith targets = finer("b", shares.vectors[1], fresh.targets.scale());
  auto [W, w] = co_await when_all(masked_at(party, std::move(shares.matrices[0]), fresh.inverse.scale(), "W again"),
                                  masked_at(party, std::move(shares.vectors[0]), fresh.weights.scale(), "w again"));
  co_return LearnedModel{std::move(gram), std::move(targets), std::move(W), std::move(w)};
}

Task<BanditModel> revealed(Party& party, const LearnedModel& model) {
  auto [w, W] = co_await when_all(protocols::open(party, model.weights.shares(party), "reveal weights"),
                                  protocols::open(party, model.inverse.shares(party), "reveal inverse matrices"));
  co_return BanditModel{std::move(w), std::move(W)};
}

Arith add_events(Party& party, Arith& gram, Arith& targets, const Masked& of_arms, const Masked& contexts,
                 const Masked& rewards) {
  const protocols::SumOfOuters map(of_arms.shape(), contexts.shape());
  Arith sum = protocols::product(party, map, of_arms, contexts);
  gram += sum;
  const Masked row = rewards.reshaped(Shape{1, rewards.lanes()});
  targets += protocols::matmul(party, row, of_arms).reshaped(targets.shape());
  return sum;
}

Task<Masked> copy_at(Party& party, Arith value, unsigned bits, Label label) {
  if (value.scale() == bits) co_return co_await protocols::mask(party, std::move(value), label);
  const unsigned cut = value.scale() - bits;
  co_return co_await protocols::mask_trunc(party, std::move(value), cut, label);
}

Task<void> save_model(Party& party, BanditSite& site, std::uint64_t steps, KeptModel model, const Masked& first,
                      const Masked& second) {
  Words own = id_of(party, site, steps, first, second);
  const Words announced = co_await announce(party, std::move(own), id_words, "checkpoint id");
  CheckpointId id{};
  if (!announced.empty()) std::memcpy(id.data(), announced.data(), id.size());
  if (site.checkpoints() == nullptr) co_return;
  site.checkpoints()->save(steps, ModelShares{own_shares(party, model.matrices), own_shares(party, model.vectors)}, id);
}

KeptModel load_model(const Party& party, BanditSite& site, std::uint64_t steps, const KeptModel& like) {
  ModelShares shares;
  if (party.holds_shares()) {
    shares.inverses.resize(lanes_of(like.matrices));
    shares.targets.resize(lanes_of(like.vectors));
    if (site.checkpoints() == nullptr) throw std::logic_error("this role has kept no model");
    site.checkpoints()->load(steps, shares);
  }
  return KeptModel{values_of(party, like.matrices, shares.inverses), values_of(party, like.vectors, shares.targets)};
}

}  // namespace sotto::apps::bandit
