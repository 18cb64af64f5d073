// Random configs that hold all rules, for properties.
#pragma once

#include <fmt/format.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "sotto/apps/kit/deploy/config.h"
#include "sotto/apps/kit/deploy/run_roles.h"

namespace sotto::apps {

inline std::string hex_digits(std::size_t count) {
  const auto digits = *rc::gen::container<std::vector<unsigned>>(count, rc::gen::inRange(0u, 16u));
  std::string text;
  for (const unsigned digit : digits) text += fmt::format("{:x}", digit);
  return text;
}

// Of pieces that need quotes, escapes or more than a byte.
inline std::string strange_text() {
  const std::vector<std::string> pieces{"a",  "B7", " ", "\"", "\\", "#", "=", "'", "ä",
                                        "数", "🌍",  ".", "-",  "[",  "]", "$", "%", "{}"};
  const auto picked = *rc::gen::container<std::vector<std::size_t>>(
      rc::gen::inRange<std::size_t>(0, pieces.size()));
  std::string text = "x";
  for (const std::size_t piece : picked) text += pieces[piece];
  return text;
}

inline std::filesystem::path random_path() { return "/files/" + strange_text(); }

inline RunConfig random_run() {
  const auto coin = [] { return *rc::gen::arbitrary<bool>(); };
  RunConfig run;
  run.session = hex_digits(32);
  run.parties = *rc::gen::inRange<std::size_t>(2, 9);
  run.steps = *rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << 62);
  run.arms = *rc::gen::inRange<std::size_t>(1, 1025);
  run.epsilon = *rc::gen::inRange(0, 1'000'001) / 1e6;
  run.bits = *rc::gen::inRange(12u, 25u);
  if (coin()) run.max_norm = *rc::gen::inRange(1, 8'000'001) / 1e6;
  if (run.max_norm) run.joint_norm_holds = coin();
  run.binary_rewards = coin();
  run.deal_ahead = coin();
  run.reveal_model = coin();
  run.separate_rewarder = coin();
  run.checkpoint_every = coin() ? *rc::gen::inRange<std::uint64_t>(1, 100'000) : 0;
  if (coin()) run.insecure_seed = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 62);
  run.insecure_plaintext = coin();
  run.insecure_shared_keys = coin();
  if (coin()) run.link.delay = std::chrono::microseconds(*rc::gen::inRange(0, 2'000'001));
  if (coin()) run.link.jitter = std::chrono::microseconds(*rc::gen::inRange(0, 2'000'001));
  if (coin()) run.link.bits_per_second = 1000 * *rc::gen::inRange<std::uint64_t>(10, 1'000'000);
  return run;
}

inline RoleConfig random_bandit_config() {
  RoleConfig config;
  config.run = random_run();
  const RunConfig& run = config.run;
  for (std::size_t id = 0; id < run.parties; ++id) {
    config.peers[peer_key(Role::party, id)] = fmt::format("party-{}.example:{}", id, 7100 + id);
  }
  config.peers["dealer"] = *rc::gen::element<std::string>("127.0.0.1:7000", "[2001:db8::7]:7000");
  for (const auto& [role, address] : config.peers) config.run.trust[role] = "";
  config.run.trust["actor"] = "";
  int certificates = 0;  // no two alike
  if (run.separate_rewarder) config.run.trust["rewarder"] = "";
  for (auto& [role, fingerprint] : config.run.trust) {
    fingerprint = fmt::format("sha256:{:02x}{}", ++certificates, hex_digits(62));
  }

  std::vector<Role> roles{Role::party, Role::dealer, Role::actor};
  if (run.separate_rewarder) roles.push_back(Role::rewarder);
  config.role = *rc::gen::elementOf(roles);
  if (config.role == Role::party) config.id = *rc::gen::inRange<std::size_t>(0, run.parties);
  const bool outside = config.role == Role::actor || config.role == Role::rewarder;
  if (config.role == Role::party) config.data = random_path();
  if (outside) config.environment = random_path();
  if (outside && run.separate_rewarder) config.arm_socket = "/run/arms";
  if (!outside && *rc::gen::arbitrary<bool>()) config.listen = "[::]:7100";
  if (*rc::gen::arbitrary<bool>()) config.report = random_path() / "report.json";
  config.key = "/keys/" + strange_text() + ".pem";
  if (run.checkpoint_every > 0) config.state = random_path() / "state";
  config.round_deadline_seconds = *rc::gen::inRange(1, 86'400'001) / 1e3;
  config.connect_deadline_seconds = *rc::gen::inRange(1, 86'401);
  if (outside && config.round_deadline_seconds > 1 && *rc::gen::arbitrary<bool>()) {
    config.delay = *rc::gen::element<std::string>("exponential 10us", "uniform 1us 2ms");
  }
  return config;
}

inline RunConfig random_o3m_run() {
  const auto coin = [] { return *rc::gen::arbitrary<bool>(); };
  const RunConfig shared = random_run();
  RunConfig run;
  run.session = shared.session;
  run.parties = shared.parties;
  run.steps = shared.steps;
  run.arms = shared.arms;
  run.insecure_seed = shared.insecure_seed;
  run.insecure_plaintext = shared.insecure_plaintext;
  run.insecure_shared_keys = shared.insecure_shared_keys;
  run.link = shared.link;
  O3mRun& o3m = run.o3m.emplace();
  o3m.algorithm = coin() ? LinearAlgorithm::ucb : LinearAlgorithm::ts;
  o3m.beta = *rc::gen::inRange(0, 1'000'001) / 1e5;
  o3m.v = *rc::gen::inRange(0, 1'000'001) / 1e6;
  o3m.lambda = *rc::gen::inRange(1, 1'000'001) / 1e4;
  if (coin()) {
    o3m.mask_generator = static_cast<NodeId>(*rc::gen::inRange<std::size_t>(1, run.parties));
  }
  o3m.insecure_blocks = coin();
  o3m.acknowledge_leakage = true;
  return run;
}

inline RoleConfig random_o3m_config() {
  const auto coin = [] { return *rc::gen::arbitrary<bool>(); };
  RoleConfig config;
  config.run = random_o3m_run();
  int number = 0;  // no two certificates alike, nor two addresses
  const std::vector<RunRole> roles = run_roles(config.run);
  for (const RunRole& role : roles) {
    ++number;
    config.run.trust[role.key] = fmt::format("sha256:{:02x}{}", number, hex_digits(62));
    if (role.listens) config.peers[role.key] = fmt::format("o3m.example:{}", 7100 + number);
  }
  const RunRole self = *rc::gen::elementOf(roles);
  config.role = self.role;
  config.id = self.id;
  if (self.role != Role::mask_generator) {
    config.contexts = random_path();
    if (coin()) config.arms_file = random_path();
    if (!config.arms_file.empty() && coin()) config.combine = Combine::outer_sum;
  }
  if (self.role == Role::active) config.environment = random_path();
  if (self.listens && coin()) config.listen = "[::]:7100";
  if (coin()) config.report = random_path() / "report.json";
  config.key = "/keys/" + strange_text() + ".pem";
  config.round_deadline_seconds = *rc::gen::inRange(1, 86'400'001) / 1e3;
  return config;
}

// Of either protocol.
inline RoleConfig random_config() {
  return *rc::gen::arbitrary<bool>() ? random_o3m_config() : random_bandit_config();
}

}  // namespace sotto::apps
