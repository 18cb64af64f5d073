#pragma once

#include <fmt/format.h>

#include "apps/bandit/run/settings/settings.h"
#include "apps/o3m/settings.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps {

using namespace sotto::apps::bandit;
using namespace sotto::apps::bandit::run;
using namespace sotto::apps::o3m;

inline const std::string party_config = R"([run]
session = "0123456789abcdef0123456789abcdef"
parties = 2
steps = 10
arms = 3
insecure_plaintext = true
[role]
name = "party"
id = 1
data = "b.csv"

[peers]
party_0 = "127.0.0.1:7100"
party_1 = "127.0.0.1:7101"
dealer = "127.0.0.1:7104"
)";

inline const std::string active_config = R"([run]
session = "0123456789abcdef0123456789abcdef"
protocol = "o3m"
participants = 3
steps = 10
arms = 3
algorithm = "ts"
mask_generator = 2
acknowledge_leakage = true
insecure_plaintext = true

[role]
name = "active"
contexts = "a.csv"
environment = "rewards.csv"

[peers]
active = "127.0.0.1:7100"
passive_1 = "127.0.0.1:7101"
)";

inline std::string hex_digits(std::size_t count) {
  const auto digits = draw_vector(count, [] { return draw_in_range(0U, 16U); });
  std::string text;
  for (const unsigned digit : digits) text += fmt::format("{:x}", digit);
  return text;
}

inline std::string strange_text() {
  const std::vector<std::string> pieces{"a",  "B7", " ", "\"", "\\", "#", "=", "'", "ä",
                                        "数", "🌍",  ".", "-",  "[",  "]", "$", "%", "{}"};
  const auto picked = draw_vector(draw_length(), [&] { return draw_in_range<std::size_t>(0, pieces.size()); });
  std::string text = "x";
  for (const std::size_t piece : picked) text += pieces[piece];
  return text;
}

inline std::filesystem::path random_path() { return "/files/" + strange_text(); }

inline BanditSettings random_run() {
  const auto coin = [] { return draw<bool>(); };
  BanditSettings run;
  run.session = hex_digits(32);
  run.parties = draw_in_range<std::size_t>(2, 9);
  run.steps = draw_in_range<std::uint64_t>(1, std::uint64_t{1} << 62);
  run.arms = draw_in_range<std::size_t>(1, 1025);
  run.epsilon = draw_in_range(0, 1'000'001) / 1e6;
  run.bits = draw_in_range(12u, 25u);
  if (coin()) run.max_norm = draw_in_range(1, 8'000'001) / 1e6;
  if (run.max_norm) run.joint_norm_holds = coin();
  run.binary_rewards = coin();
  run.contexts_ahead = coin();
  run.update = coin() ? StepUpdate::all_arms : StepUpdate::pulled_arm;
  run.deal_ahead = coin();
  run.reveal_model = coin();
  run.separate_rewarder = coin();
  if (coin()) run.reward_scale = draw_in_range(1, 1'000'000) / 1e2;
  if (!run.separate_rewarder && coin()) {
    run.task = coin() ? BanditTask::learn : BanditTask::evaluate;
  }
  if (run.task != BanditTask::play) run.clip_rewards = coin();
  if (run.task == BanditTask::evaluate) {
    run.held_out = draw_in_range(1, 1001) / 1e3;
    run.mixed = coin();
    run.cells = coin() ? 0 : draw_in_range<std::size_t>(2, 65);
    run.propensities = coin() ? Propensities::logged : Propensities::frequencies;
    run.least_propensity = draw_in_range(1, 1001) / 1e3;
    run.clip_weights = coin();
    run.full_support = coin();
    const bool is_logged = run.propensities == Propensities::logged;
    if (is_logged && !run.full_support && coin()) run.arms_offered = draw_in_range<std::size_t>(1, 1025);
  }
  if (run.task == BanditTask::play && draw_in_range(0, 4) == 0) {
    run.preprocessing = coin() ? RandomnessBy::replicated : RandomnessBy::helper;
    run.parties = run.preprocessing == RandomnessBy::helper ? 2 : 3;
    run.arms = 1 + run.arms % 64;
    run.deal_ahead = false;
  }
  const bool keeps = run.task != BanditTask::evaluate && coin();
  run.checkpoint_every = keeps ? draw_in_range<std::uint64_t>(1, 100'000) : 0;
  if (coin()) run.insecure_seed = draw_in_range<std::uint64_t>(0, std::uint64_t{1} << 62);
  run.insecure_plaintext = coin();
  run.insecure_shared_keys = coin();
  if (coin()) run.link.delay = std::chrono::microseconds(draw_in_range(0, 2'000'001));
  if (coin()) run.link.jitter = std::chrono::microseconds(draw_in_range(0, 2'000'001));
  if (coin()) run.link.bits_per_second = 1000 * draw_in_range<std::uint64_t>(10, 1'000'000);
  return run;
}

inline BanditSettings random_bandit_config() {
  BanditSettings config = random_run();
  const BanditSettings& run = config;
  for (std::size_t id = 0; id < run.parties; ++id) {
    config.peers[fmt::format("party_{}", id)] = fmt::format("party-{}.example:{}", id, 7100 + id);
  }
  const bool helped = run.preprocessing == RandomnessBy::helper;
  if (!helped && draw_in_range(0, 3) == 0) {
    config.owners = draw_in_range<std::size_t>(1, max_owners_and_parties - run.parties + 1);
    config.owners = std::min(config.owners, max_owners);
    const std::size_t bring = FeatureHolders::most - config.owners;  // the largest number of parties with features
    config.computing_only = draw_in_range<std::size_t>(run.parties - std::min(bring, run.parties), run.parties + 1);
  } else if (draw<bool>()) {
    config.computing_only = draw_in_range<std::size_t>(0, run.parties);
  }
  const bool dealt = run.topology().has_dealer();
  if (dealt) config.peers["dealer"] = draw_one_of<std::string>({"127.0.0.1:7000", "[2001:db8::7]:7000"});
  if (helped) config.peers["helper"] = "helper.example:7000";
  for (const auto& [role, address] : config.peers) config.trust[role] = "";
  config.trust["actor"] = "";
  for (std::size_t id = 0; id < run.owners; ++id) config.trust[fmt::format("owner_{}", id)] = "";
  int certificates = 0;
  if (run.separate_rewarder) config.trust["rewarder"] = "";
  for (auto& [role, fingerprint] : config.trust) {
    fingerprint = fmt::format("sha256:{:02x}{}", ++certificates, hex_digits(62));
  }

  std::vector<BanditRole> roles{BanditRole::party, BanditRole::actor};
  if (dealt) roles.push_back(BanditRole::dealer);
  if (helped) roles.push_back(BanditRole::helper);
  if (run.separate_rewarder) roles.push_back(BanditRole::rewarder);
  if (run.owners > 0) roles.push_back(BanditRole::owner);
  config.set_role(draw_one_of(roles));
  if (config.role() == BanditRole::party) config.id = draw_in_range<std::size_t>(0, run.parties);
  if (config.role() == BanditRole::owner) config.id = draw_in_range<std::size_t>(0, run.owners);
  const bool outside = config.role() == BanditRole::actor || config.role() == BanditRole::rewarder;
  if (brings_features(config)) config.data = random_path();
  const bool logged = run.task != BanditTask::play;
  if (brings_features(config) && run.task == BanditTask::evaluate) {
    config.account_epsilon = draw_in_range(1, 1'000'001) / 1e3;
    config.budget = draw_in_range(1, 1'000'001) / 1e3;
    config.rows_per_subject = draw_in_range<std::uint64_t>(1, 1'000'001);
    config.forget_after = draw_in_range<std::uint64_t>(0, 36'501);
    if (draw<bool>()) {
      config.learning_epsilon = draw_in_range(1, 1'000'001) / 1e3;
      config.learning_delta = draw_in_range(1, 101) / 1e3;
    } else {
      config.uncovered_learning = draw<bool>();
    }
    if (draw<bool>()) config.account = random_path();
    if (draw<bool>()) config.subjects = random_path();
  }
  if (run.task == BanditTask::evaluate && draw<bool>()) config.seen = random_path();
  if (outside && logged) config.log = random_path();
  if (outside && !logged) config.environment = random_path();
  if (config.role() == BanditRole::party && run.max_norm && draw<bool>()) {
    config.from = random_path();
    config.events_before = draw_in_range<std::uint64_t>(1, 1'000'000);
  }
  if (outside && run.separate_rewarder) config.arm_socket = "/run/arms";
  const bool asks = config.role() == BanditRole::party || gets_rewards(config);
  const bool parties_alone = run.owners == 0 && run.computing_only == 0;
  if (asks && parties_alone && !logged && run.max_norm && draw<bool>()) {
    config.data.clear();
    config.environment.clear();
    config.world = fmt::format("unix:/run/{}", draw_in_range(0, 1000));
    if (config.role() == BanditRole::party) config.columns = draw_in_range<std::size_t>(1, 65'537);
  }
  const bool listens = !outside && config.role() != BanditRole::owner;
  if (listens && draw<bool>()) config.listen = "[::]:7100";
  if (draw<bool>()) config.report = random_path() / "report.json";
  config.key = "/keys/" + strange_text() + ".pem";
  if (run.checkpoint_every > 0) config.state = random_path() / "state";
  if (run.preprocessing != RandomnessBy::dealer && draw<bool>()) config.stock = random_path() / "stock";
  config.round_deadline_seconds = draw_in_range(1, 86'400'001) / 1e3;
  config.connect_deadline_seconds = draw_in_range(1, 86'401);
  if (outside && config.round_deadline_seconds > 1 && draw<bool>()) {
    config.delay = draw_one_of<std::string>({"exponential 10us", "uniform 1us 2ms"});
  }
  return config;
}

inline O3mSettings random_o3m_run() {
  const auto coin = [] { return draw<bool>(); };
  const BanditSettings shared = random_run();
  O3mSettings run;
  static_cast<RoleSettings&>(run) = shared;
  run.participants = shared.parties;
  run.steps = shared.steps;
  run.arms = shared.arms;
  run.algorithm = coin() ? LinearAlgorithm::ucb : LinearAlgorithm::ts;
  run.beta = draw_in_range(0, 1'000'001) / 1e5;
  run.v = draw_in_range(0, 1'000'001) / 1e6;
  run.lambda = draw_in_range(1, 1'000'001) / 1e4;
  if (coin()) run.mask_generator = static_cast<NodeId>(draw_in_range<std::size_t>(1, run.participants));
  run.insecure_blocks = coin();
  run.acknowledge_leakage = true;
  return run;
}

inline O3mSettings random_o3m_config() {
  const auto coin = [] { return draw<bool>(); };
  O3mSettings config = random_o3m_run();
  int number = 0;
  const std::vector<RunRole> roles = config.roles();
  for (const RunRole& role : roles) {
    ++number;
    config.trust[role.key] = fmt::format("sha256:{:02x}{}", number, hex_digits(62));
    if (role.listens) config.peers[role.key] = fmt::format("o3m.example:{}", 7100 + number);
  }
  const RunRole self = draw_one_of(roles);
  config.role_word = self.word;
  config.id = self.id;
  if (config.role() != O3mRole::mask_generator) {
    config.contexts = random_path();
    if (coin()) config.arms_file = random_path();
    if (!config.arms_file.empty() && coin()) config.combine = Combine::outer_sum;
  }
  if (config.role() == O3mRole::active) config.environment = random_path();
  if (self.listens && coin()) config.listen = "[::]:7100";
  if (coin()) config.report = random_path() / "report.json";
  config.key = "/keys/" + strange_text() + ".pem";
  config.round_deadline_seconds = draw_in_range(1, 86'400'001) / 1e3;
  return config;
}

inline std::unique_ptr<RoleSettings> random_config() {
  return draw<bool>() ? random_o3m_config().clone() : random_bandit_config().clone();
}

}  // namespace sotto::apps
