// The model of an earlier run, from which another run begins.
//
// Each party announces the name of the model as text in the handshake. If a party announces another model or checkpoint
// than the other parties, the run ends before any role sends a share.
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

struct ModelName {
  std::string id;            // 64 hex digits
  std::uint64_t events = 0;  // number of learned events
  std::size_t arms = 0;
  std::size_t features = 0;
  ModelBits bits{};
  double max_norm = 1;
  double reward_scale = 1;

  friend bool operator==(const ModelName&, const ModelName&) = default;
};
[[nodiscard]] std::string to_text(const ModelName& name);
// Throws ProtocolError, which names the party, if the text does not have the form of to_text().
[[nodiscard]] ModelName parse_model_name(const std::string& text, const std::string& party);

struct EarlierModel {
  ModelName name;
  ModelShares shares;
};

// Reads the last checkpoint and does not change the store. Throws InputError if the config is not that of party `id` in
// a run with checkpoints and max_norm, or if the run has learned nothing. Throws ResourceError while that party still
// runs.
[[nodiscard]] EarlierModel read_earlier_model(const std::filesystem::path& config, std::size_t id);

// See ReadRunModel.
[[nodiscard]] std::optional<RunModel> read_run_model(const RoleSettings& before, std::size_t id);

// Throws DisagreementError if the arms, features, reward scale, events or norm of the model differ from those of the
// run.
void begin_from(BanditParameters& parameters, const BanditRun& run, const ModelName& name);

class BegunFromModel final : public CheckpointStore {
 public:
  explicit BegunFromModel(EarlierModel model) : model_(std::move(model)) {}
  [[nodiscard]] const ModelName& name() const noexcept { return model_.name; }
  CheckpointId name_checkpoint(std::uint64_t, const net::Digest&) override { return {}; }
  void save(std::uint64_t, const ModelShares&, const CheckpointId&) override {}
  // Moves the shares out of this object. Throws InputError if `shares` has another shape, and std::logic_error if
  // `steps` is not 0.
  void load(std::uint64_t steps, ModelShares& shares) override;

 private:
  EarlierModel model_;
};

}  // namespace sotto::apps::bandit::run
