#include "apps/bandit/run/local/in_process/kept_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <system_error>
#include <utility>

#include "apps/bandit/run/local/in_process/taken_model.h"
#include "apps/bandit/run/local/launcher.h"
#include "apps/bandit/run/role/role_state.h"
#include "apps/kit/files/input_file.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/files/table.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/transport/tls/identity.h"

namespace sotto::apps::bandit::run {
namespace {

namespace fs = std::filesystem;

constexpr const char* config_name = "config.toml";
constexpr const char* key_name = "key.pem";
constexpr const char* columns_name = "columns.csv";

// A folder that gets its name when it is complete.
class NewFolder {
 public:
  explicit NewFolder(const fs::path& whole) : whole_(whole), path_(whole) {
    path_ += ".new";
    if (file_exists(whole)) throw InputError(whole.string(), "exists already: choose another folder for this model");
    fs::remove_all(path_);  // of a process that was killed
    make_private_folder(path_);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  ~NewFolder() {
    std::error_code ignored;
    if (!finished_) fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }
  void finish() {
    fs::rename(path_, whole_);
    finished_ = true;
  }

 private:
  fs::path whole_;
  fs::path path_;
  bool finished_ = false;
};

CheckpointId id_of(const std::string& digits) {
  CheckpointId id{};
  for (std::size_t i = 0; i < id.size(); ++i) {
    unsigned byte = 0;
    std::from_chars(digits.data() + 2 * i, digits.data() + 2 * i + 2, byte, 16);
    id[i] = static_cast<std::byte>(byte);
  }
  return id;
}

// The settings of a run in batches that made one checkpoint, at its end.
BanditSettings run_of(const BanditSettings& settings, const EarlierModel& model, std::size_t parties) {
  BanditSettings run = settings;
  run.parties = parties;
  run.session = fresh_session();
  run.checkpoint_every = run.steps;
  run.joint_norm_holds = true;
  run.update = StepUpdate::all_arms;  // it is of single steps, which this model has not
  run.reward_scale = model.name.reward_scale;
  if (run.batch == 1) run.reward_lag = std::max<std::uint64_t>(run.reward_lag, 1);
  return run;
}

struct PartyOfRun {
  BanditSettings config;
  net::Identity identity;
};

// The configs of the parties. All roles get a certificate, and the keys of those that are no party are forgotten.
std::vector<PartyOfRun> parties_of(const BanditSettings& run) {
  std::vector<PartyOfRun> parties;
  std::map<std::string, std::string> trust;
  std::map<std::string, std::string> peers;
  LocalRun local;
  local.run = run;
  local.data.assign(run.parties, columns_name);
  local.environment = "rewards.csv";  // of the actor, whose config is not kept
  std::vector<BanditSettings> roles = local_roles(local);
  for (BanditSettings& config : roles) {
    const std::string key = config.role_key();
    net::Identity identity = net::Identity::create(key);
    trust[key] = identity.fingerprint();
    if (config.own_role().listens) peers[key] = fmt::format("127.0.0.1:{}", peers.size() + 1);
    if (config.role() == BanditRole::party) parties.push_back({std::move(config), std::move(identity)});
  }
  for (PartyOfRun& party : parties) {
    party.config.trust = trust;
    party.config.peers = peers;
  }
  return parties;
}

void write_party(const fs::path& folder, const PartyOfRun& party, Checkpoint checkpoint,
                 const std::vector<std::string>& columns) {
  make_private_folder(folder);
  party.identity.write(folder / key_name);
  write_file(folder / columns_name, csv_text(columns, {}));
  BanditSettings here = party.config;
  here.state = folder;
  here.key = folder / key_name;
  here.data = folder / columns_name;
  create_role_store(here, here, here, here, std::move(checkpoint));
  BanditSettings config = party.config;
  config.state = ".";
  config.key = key_name;
  config.data = columns_name;
  write_file(folder / config_name, to_toml(config));
  fs::permissions(folder / config_name, fs::perms::owner_read | fs::perms::owner_write);
}

BanditSettings config_in(const fs::path& given) {
  return read_role_config<BanditSettings>(fs::is_directory(given) ? given / config_name : given);
}

// The names in the first line of the party's data.
std::vector<std::string> columns_of(const fs::path& data) {
  return read_csv(data, Header::required, {}, TableLimits{0}).columns;
}

}  // namespace

void keep_model(const fs::path& folder, const BanditSettings& model_settings, const std::vector<EarlierModel>& models,
                const std::vector<std::vector<std::string>>& columns) {
  make_private_folder(folder);
  NewFolder made(folder / "state");
  const std::vector<PartyOfRun> parties = parties_of(run_of(model_settings, models.front(), models.size()));
  for (std::size_t p = 0; p < parties.size(); ++p) {
    Checkpoint checkpoint;
    checkpoint.steps = models[p].name.events;
    checkpoint.id = id_of(models[p].name.id);
    checkpoint.inverses = models[p].shares.inverses;
    checkpoint.targets = models[p].shares.targets;
    write_party(made.path() / fmt::format("party_{}", p), parties[p], std::move(checkpoint), columns.at(p));
  }
  made.finish();
}

FoundModel find_model(const std::vector<fs::path>& configs) {
  FoundModel found;
  for (std::size_t p = 0; p < configs.size(); ++p) {
    const BanditSettings config = config_in(configs[p]);
    if (p == 0) found.settings = config;
    if (config.parties != configs.size() || config.computing_only > 0 || config.owners > 0) {
      throw InputError(
          configs[p].string(),
          fmt::format("the run has {}, {} of them without features, and {}: give the folder of each party "
                      "of a run where every party brings features and nobody else does",
                      counted(config.parties, "party"), config.computing_only, counted(config.owners, "owner")));
    }
    found.models.push_back(read_earlier_model(configs[p], p));
    found.columns.push_back(columns_of(config.data));
  }
  require_one_model(found.models);
  return found;
}

}  // namespace sotto::apps::bandit::run
