// The model of an earlier run of the private bandit, from which another run begins. Each party reads its own shares
// from the store that it wrote in the earlier run.
//
// Parties announce the model in the handshake, as text: the id of the model and everything that follows from the
// earlier run. From this text every role makes the same plan. A party that announces a different model or checkpoint is
// refused before any share is sent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/bandit/model/learned_model.h"
#include "apps/bandit/model/parameters.h"
#include "apps/bandit/model/sites.h"
#include "apps/bandit/run/settings/settings.h"

namespace sotto::apps::bandit::run {

// The public facts about the model.
struct ModelName {
  std::string id;            // of the checkpoint: 64 hex digits
  std::uint64_t events = 0;  // learned events, including those of earlier models
  std::size_t arms = 0;
  std::size_t features = 0;
  ModelBits bits{};
  double max_norm = 1;
  double reward_scale = 1;

  friend bool operator==(const ModelName&, const ModelName&) = default;
};
[[nodiscard]] std::string to_text(const ModelName& name);
// Throws ProtocolError, naming the party, if to_text() cannot have made the text.
[[nodiscard]] ModelName parse_model_name(const std::string& text, const std::string& party);

struct EarlierModel {
  ModelName name;
  ModelShares shares;
};

// The model of the party whose config is `config`, or whose folder has that config as config.toml. Reads the store
// without changing anything. Throws InputError if the config is not that of party `id` in a run with checkpoints and
// max_norm, or if nothing was learned. Throws ResourceError while that party still runs.
[[nodiscard]] EarlierModel read_earlier_model(const std::filesystem::path& config, std::size_t id);

// See ReadRunModel.
[[nodiscard]] std::optional<RunModel> read_run_model(const RoleSettings& before, std::size_t id);

// Sets the widths of the run's numbers, in bits, to the widths of the model. Throws DisagreementError if the run has
// other arms, features, reward scale or events_before, or a smaller norm. The message says what to change.
void begin_from(BanditParameters& parameters, const BanditRun& run, const ModelName& name);

// The store of a party that begins from a model and keeps no state. It only returns the shares of that model, at step
// 0.
class BegunFromModel final : public CheckpointStore {
 public:
  explicit BegunFromModel(EarlierModel model) : model_(std::move(model)) {}
  [[nodiscard]] const ModelName& name() const noexcept { return model_.name; }
  CheckpointId name_checkpoint(std::uint64_t, const net::Digest&) override { return {}; }
  void save(std::uint64_t, const ModelShares&, const CheckpointId&) override {}
  // Moves the shares out of this object. Throws InputError if the shares have another shape, and std::logic_error at
  // any step except 0.
  void load(std::uint64_t steps, ModelShares& shares) override;

 private:
  EarlierModel model_;
};

}  // namespace sotto::apps::bandit::run
