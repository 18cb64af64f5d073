#include "sotto/apps/kit/settings/lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sotto/apps/kit/settings/toml_text.h"
#include "sotto/net/transport/emulate/conditions.h"

namespace sotto::apps {
namespace {

// The lines of one table.
class Table {
 public:
  Table(std::vector<ConfigLine>& lines, std::string name) : lines_(lines), name_(std::move(name)) {}

  void text(const char* key, const std::string& value) { add(key, toml_quoted(value)); }
  // Left out where it is empty.
  void optional_text(const char* key, const std::string& value) {
    if (!value.empty()) text(key, value);
  }
  void whole(const char* key, std::uint64_t value) { add(key, fmt::format("{}", value)); }
  void real(const char* key, double value) { add(key, toml_real(value)); }
  void choice(const char* key, bool value) { add(key, value ? "true" : "false"); }
  void texts(const std::map<std::string, std::string>& values) {
    for (const auto& [key, value] : values) add(key, toml_quoted(value));
  }

 private:
  void add(const std::string& key, std::string value) {
    lines_.push_back({name_, key, std::move(value)});
  }

  std::vector<ConfigLine>& lines_;
  std::string name_;
};

void add_bandit(Table& table, const RunConfig& run) {
  table.real("epsilon", run.epsilon);
  table.whole("bits", run.bits);
  if (run.max_norm) {
    table.real("max_norm", *run.max_norm);
    table.choice("joint_norm_holds", run.joint_norm_holds);
  }
  table.text("rewards", run.binary_rewards ? "binary" : "real");
  table.choice("deal_ahead", run.deal_ahead);
  table.choice("reveal_model", run.reveal_model);
  table.choice("separate_rewarder", run.separate_rewarder);
  table.whole("checkpoint_every", run.checkpoint_every);
}

void add_o3m(Table& table, const O3mRun& run) {
  table.text("algorithm", run.algorithm == LinearAlgorithm::ucb ? "ucb" : "ts");
  table.real("beta", run.beta);
  table.real("v", run.v);
  table.real("lambda", run.lambda);
  if (run.mask_generator) {
    table.whole("mask_generator", *run.mask_generator);
  } else {
    table.text("mask_generator", third_party);
  }
  table.choice("insecure_blocks", run.insecure_blocks);
  table.choice("acknowledge_leakage", run.acknowledge_leakage);
}

void add_run(std::vector<ConfigLine>& lines, const RunConfig& run) {
  Table table(lines, "run");
  table.text("session", run.session);
  if (run.o3m) table.text("protocol", "o3m");
  table.whole(run.o3m ? "participants" : "parties", run.parties);
  table.whole("steps", run.steps);
  table.whole("arms", run.arms);
  if (run.o3m) {
    add_o3m(table, *run.o3m);
  } else {
    add_bandit(table, run);
  }
  if (run.insecure_seed) table.whole("insecure_seed", *run.insecure_seed);
  table.choice("insecure_plaintext", run.insecure_plaintext);
  table.choice("insecure_shared_keys", run.insecure_shared_keys);
}

void add_link(std::vector<ConfigLine>& lines, const net::LinkConditions& link) {
  Table table(lines, "link");
  if (link.delay.count() > 0) table.text("delay", net::delay_text(link.delay));
  if (link.jitter.count() > 0) table.text("jitter", net::delay_text(link.jitter));
  if (link.bits_per_second > 0) table.text("rate", net::rate_text(link.bits_per_second));
  table.optional_text("loss", net::loss_text(link));
}

void add_role(std::vector<ConfigLine>& lines, const RoleConfig& config) {
  Table table(lines, "role");
  const bool numbered = config.role == Role::party || config.role == Role::passive;
  const std::string name = config.role == Role::passive ? "passive" : peer_key(config.role, 0);
  table.text("name", config.role == Role::party ? "party" : name);
  if (numbered) table.whole("id", config.id);
  table.optional_text("data", config.data.string());
  table.optional_text("contexts", config.contexts.string());
  table.optional_text("arms_file", config.arms_file.string());
  if (!config.arms_file.empty()) table.text("combine", combine_text(config.combine));
  table.optional_text("environment", config.environment.string());
  table.optional_text("arm_socket", config.arm_socket.string());
  table.optional_text("key", config.key.string());
  table.optional_text("listen", config.listen);
  table.optional_text("state", config.state.string());
  table.optional_text("report", config.report.string());
  table.real("round_deadline_seconds", config.round_deadline_seconds);
  table.real("connect_deadline_seconds", config.connect_deadline_seconds);
  table.optional_text("delay", config.delay);
}

}  // namespace

std::vector<ConfigLine> run_lines(const RunConfig& run) {
  std::vector<ConfigLine> lines;
  add_run(lines, run);
  add_link(lines, run.link);
  Table(lines, "trust").texts(run.trust);
  return lines;
}

std::vector<ConfigLine> config_lines(const RoleConfig& config) {
  std::vector<ConfigLine> lines;
  add_run(lines, config.run);
  add_link(lines, config.run.link);
  add_role(lines, config);
  Table(lines, "peers").texts(config.peers);
  Table(lines, "trust").texts(config.run.trust);
  return lines;
}

}  // namespace sotto::apps
