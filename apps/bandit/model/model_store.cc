#include "apps/bandit/model/model_store.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <stdexcept>
#include <utility>

#include "sotto/protocol/io/checkpoint_shares.h"
#include "sotto/protocol/io/tell.h"

namespace sotto::apps::bandit {
namespace {

using namespace protocols;

constexpr std::size_t id_words = sizeof(CheckpointId) / sizeof(std::uint64_t);

// The id of a checkpoint, at the compute parties.
Words id_of(const Party& party, BanditSite& site, std::uint64_t steps, const Masked& first, const Masked& second) {
  Words words;
  hand_public_words_over(
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
    hand_shares_over(party, value, [&](auto words) { all.insert(all.end(), words.begin(), words.end()); });
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

Task<void> save_model(Party& party, BanditSite& site, std::uint64_t steps, KeptModel model, const Masked& first,
                      const Masked& second) {
  Words own = id_of(party, site, steps, first, second);
  const Words told = co_await tell(party, std::move(own), id_words, "checkpoint id");
  CheckpointId id{};
  if (!told.empty()) std::memcpy(id.data(), told.data(), id.size());
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
