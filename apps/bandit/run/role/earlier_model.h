// The model of an earlier run of the private bandit, as another run begins from it: each party's own shares, out of the
// store of the role that it was there.
//
// Parties announce the model in the handshake, as text: its id and all that follows from its run. So every role plans
// the same, and a party that brings another model, or another checkpoint of it, is refused before a share moves.
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

// What is public of it.
struct ModelName {
  std::string id;            // of the checkpoint: 64 hex digits
  std::uint64_t events = 0;  // that it has learned, those of models before it too
  std::size_t arms = 0;
  std::size_t features = 0;
  ModelBits bits{};
  double max_norm = 1;
  double reward_scale = 1;

  friend bool operator==(const ModelName&, const ModelName&) = default;
};
[[nodiscard]] std::string to_text(const ModelName& name);
// Throws ProtocolError, naming the party, if the text is none that to_text() makes.
[[nodiscard]] ModelName parse_model_name(const std::string& text, const std::string& party);

struct EarlierModel {
  ModelName name;
  ModelShares shares;
};

// Of the party whose config that is, or whose folder has it as config.toml. Reads the store and changes nothing in it.
// Throws InputError where it is no config of party `id` of a run with checkpoints and max_norm, or nothing was learned;
// ResourceError while that role still runs.
[[nodiscard]] EarlierModel read_earlier_model(const std::filesystem::path& config, std::size_t id);

// As ReadRunModel says.
[[nodiscard]] std::optional<RunModel> read_run_model(const RoleSettings& before, std::size_t id);

// Puts the model's bits into the parameters of a run. Throws DisagreementError, in a line that says what to change,
// where the run has other arms, features, reward scale or events_before, or a smaller norm.
void begin_from(BanditParameters& parameters, const BanditRun& run, const ModelName& name);

// What a party is asked for at step 0 that begins from a model and keeps no state.
class BegunFromModel final : public CheckpointStore {
 public:
  explicit BegunFromModel(EarlierModel model) : model_(std::move(model)) {}
  [[nodiscard]] const ModelName& name() const noexcept { return model_.name; }
  CheckpointId name_checkpoint(std::uint64_t, const net::Digest&) override { return {}; }
  void save(std::uint64_t, const ModelShares&, const CheckpointId&) override {}
  // Gives the shares away. Throws InputError where they are of another shape, std::logic_error at another step.
  void load(std::uint64_t steps, ModelShares& shares) override;

 private:
  EarlierModel model_;
};

}  // namespace sotto::apps::bandit::run
