#include "apps/live/import/model_share.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "apps/kit/files/json.h"
#include "apps/live/config/live_config.h"
#include "apps/live/import/foreign_model.h"
#include "apps/live/roles/order_book.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps::live {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view share_magic = "sotto/ms";
constexpr std::uint32_t share_version = 1;
constexpr std::size_t session_digits = 32;
constexpr std::size_t digest_bytes = 32;
constexpr std::uint64_t most_share_columns = 4096;

std::array<std::byte, digest_bytes> digest_of_bytes(std::span<const std::byte> bytes) {
  return sha256(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

std::size_t triangle(std::size_t features) { return features * (features + 1) / 2; }

bool has_shape(const bandit::ModelWords& model, std::size_t arms, std::size_t features) {
  return model.gram.size() == arms * triangle(features) && model.inverse.size() == model.gram.size() &&
         model.targets.size() == arms * features && model.weights.size() == model.targets.size();
}

bool is_of_one_copy(const ModelShare& a, const ModelShare& b) {
  ForeignModel mine = a.model;
  ForeignModel theirs = b.model;
  mine.model = theirs.model = {};
  return a.session == b.session && a.parties == b.parties && a.copy == b.copy && mine == theirs;
}

std::vector<const ModelShare*> by_party(const std::vector<std::pair<std::string, ModelShare>>& shares) {
  if (shares.empty()) throw InputError("no file is given: give that of every party");
  const auto& [first_file, first] = shares.front();
  std::vector<const ModelShare*> found(first.parties);
  for (const auto& [file, share] : shares) {
    if (!is_of_one_copy(share, first)) {
      throw InputError(file, fmt::format("is of another copy of the model, or of another service, than {}: have all "
                                         "parties write the copy of one number",
                                         first_file));
    }
    if (found[share.party] != nullptr)
      throw InputError(file, fmt::format("is of party {}, as another file is", share.party));
    found[share.party] = &share;
  }
  for (std::size_t party = 0; party < found.size(); ++party) {
    if (found[party] != nullptr) continue;
    throw InputError(fmt::format(
        "the share of party {} is missing: the model is whole only with those of all {} parties", party, found.size()));
  }
  return found;
}

std::vector<std::uint64_t> sum_of(const std::vector<const ModelShare*>& shares,
                                  std::vector<std::uint64_t> bandit::ModelWords::*part) {
  std::vector<std::uint64_t> sum((shares.front()->model.model.*part).size());
  for (const ModelShare* share : shares) {
    const std::vector<std::uint64_t>& words = share->model.model.*part;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += words[i];
  }
  return sum;
}

Json numbers(std::span<const std::uint64_t> words, unsigned bits) {
  Json list = Json::array();
  for (const std::uint64_t word : words) list.push_back(decode(word, bits));
  return list;
}

Json symmetric(std::span<const std::uint64_t> words, std::size_t features, unsigned bits) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < features; ++i) {
    Json row = Json::array();
    for (std::size_t j = 0; j < features; ++j) {
      const std::size_t low = std::min(i, j);
      row.push_back(decode(words[low * features - low * (low - 1) / 2 + std::max(i, j) - low], bits));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::vector<std::byte> encode(const ModelShare& share) {
  ByteWriter out;
  out.text(share_magic);
  out.number(share_version);
  out.long_text(share.session);
  out.number(share.party);
  out.number(share.parties);
  out.number(share.columns);
  out.number(share.copy.number);
  out.bytes(share.copy.id);
  out.number(share.copy.learned);
  const std::vector<std::byte> model = encode(share.model);
  out.numbers(std::span(model));
  std::vector<std::byte> bytes = out.take();
  const auto digest = digest_of_bytes(bytes);
  bytes.insert(bytes.end(), digest.begin(), digest.end());
  return bytes;
}

std::optional<ModelShare> decode_model_share(std::span<const std::byte> bytes) {
  if (bytes.size() < digest_bytes) return std::nullopt;
  const auto payload = bytes.first(bytes.size() - digest_bytes);
  const auto digest = digest_of_bytes(payload);
  if (std::memcmp(digest.data(), bytes.data() + payload.size(), digest.size()) != 0) return std::nullopt;
  ByteReader in(payload);
  in.expect(share_magic);
  if (in.number<std::uint32_t>() != share_version || !in.ok()) return std::nullopt;
  ModelShare share;
  share.session = in.long_text(session_digits);
  share.party = in.number<std::uint32_t>();
  share.parties = in.number<std::uint32_t>();
  share.columns = in.number<std::uint64_t>();
  share.copy.number = in.number<OrderNumber>();
  share.copy.id = in.array<sizeof(bandit::CheckpointId)>();
  share.copy.learned = in.number<std::uint64_t>();
  const auto model = decode_foreign_model(in.numbers<std::byte>());
  const bool fits = share.parties >= 2 && share.parties <= max_parties && share.party < share.parties &&
                    share.columns >= 1 && share.columns <= most_share_columns;
  if (!in.at_end() || !fits || !model || model->is_run) return std::nullopt;
  share.model = *model;
  return share;
}

ModelShare read_model_share(const LiveConfig& config, std::optional<OrderNumber> number) {
  const LiveStore store(config.state, live_identity(config), live_key(config));
  std::optional<SnapshotRow> found;
  store.each(LiveTable::snapshots, [&](const RowKey&, const LiveRow& bytes) {
    const auto row = decode_snapshot_row(bytes);
    if (!row) refuse_damaged("copy of the model");
    if (!number || row->name.number == *number) found = row;
    return true;
  });
  if (!found) {
    throw InputError("--export-share",
                     "the store has no such copy of the model: GET /v1/status lists them, and POST "
                     "/v1/snapshots at the actor makes one");
  }
  if (found->imported || found->name.from.any() || found->model.empty()) {
    throw InputError("--export-share",
                     "that copy is empty, or of the service before: have the actor make another once "
                     "events are learned (POST /v1/snapshots)");
  }
  ModelShare share;
  share.session = config.session;
  share.party = static_cast<std::uint32_t>(config.id);
  share.parties = static_cast<std::uint32_t>(config.parties);
  share.columns = config.read_columns().size();
  share.copy = found->name;
  share.model = described_model(config, found->model);
  return share;
}

Json joined_model(const std::vector<std::pair<std::string, ModelShare>>& shares) {
  const std::vector<const ModelShare*> parties = by_party(shares);
  std::vector<std::size_t> columns;
  std::size_t features = 0;
  for (const ModelShare* share : parties) {
    columns.push_back(share->columns);
    features += share->columns;
  }
  const ForeignModel& model = parties.front()->model;
  for (const auto& [file, share] : shares) {
    if (!has_shape(share.model.model, model.arms, features)) {
      throw InputError(file,
                       fmt::format("its model is not of {} features: the parties' columns do not fit it", features));
    }
  }
  const bandit::ModelBits bits = model_bits(model, columns);
  const auto gram = sum_of(parties, &bandit::ModelWords::gram);
  const auto targets = sum_of(parties, &bandit::ModelWords::targets);
  const auto weights = sum_of(parties, &bandit::ModelWords::weights);
  const SnapshotName& copy = parties.front()->copy;
  Json json{{"session", parties.front()->session},
            {"number", copy.number},
            {"id", hex(copy.id)},
            {"learned", copy.learned},
            {"columns", columns},
            {"arms", Json::array()}};
  for (std::size_t arm = 0; arm < model.arms; ++arm) {
    const auto row = [&](const std::vector<std::uint64_t>& words) {
      return std::span(words).subspan(arm * features, features);
    };
    const auto own = std::span(gram).subspan(arm * triangle(features), triangle(features));
    json["arms"].push_back(Json{{"arm", model.arm_names.at(arm)},
                                {"weights", numbers(row(weights), bits.weights)},
                                {"targets", numbers(row(targets), bits.targets)},
                                {"gram", symmetric(own, features, bits.gram)}});
  }
  return json;
}

}  // namespace sotto::apps::live
