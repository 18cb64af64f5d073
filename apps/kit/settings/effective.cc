#include "sotto/apps/kit/settings/effective.h"

#include <fmt/format.h>

#include <limits>
#include <span>
#include <utility>

#include "sotto/apps/kit/data/environment.h"
#include "sotto/apps/kit/settings/checks.h"
#include "sotto/apps/kit/settings/keys.h"
#include "sotto/apps/kit/settings/lines.h"
#include "sotto/apps/kit/settings/section.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/text/terminal_safe.h"
#include "sotto/net/transport/emulate/conditions.h"

namespace sotto::apps {
namespace {

constexpr std::uint64_t no_limit = std::numeric_limits<std::int64_t>::max();

std::string session(const Section& run) {
  std::string text = run.require("session", run.text("session"));
  const bool digits = text.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (text.size() != 32 || !digits) run.refuse("session");
  return text;
}

bool binary_rewards(const Section& run) {
  const std::string rewards = run.text("rewards").value_or("binary");
  if (rewards != "binary" && rewards != "real") run.refuse("rewards");
  return rewards == "binary";
}

bool is_o3m(const Section& run) {
  const std::string protocol = run.text("protocol").value_or("bandit");
  if (protocol != "bandit" && protocol != "o3m") run.refuse("protocol");
  return protocol == "o3m";
}

// InputError if there is a key that only runs of the other protocol have.
void refuse_keys_of_others(const ConfigDocument& document, bool o3m) {
  const KeyOf other = o3m ? KeyOf::bandit : KeyOf::o3m;
  for (const ConfigKey& key : config_keys()) {
    const ConfigValue* value = key.of == other ? document.find(key.table, key.name) : nullptr;
    if (value == nullptr) continue;
    throw InputError(value->origin.where(),
                     fmt::format("{} in [{}] is of runs of {}, and this is one of {} (protocol in "
                                 "[run])",
                                 key.name, key.table, protocol_name(other),
                                 protocol_name(o3m ? KeyOf::o3m : KeyOf::bandit)));
  }
}

double read_real(const Section& table, const char* key, double least, double otherwise) {
  const double value = table.real(key).value_or(otherwise);
  if (!(value >= least)) table.refuse(key);
  return value;
}

LinearAlgorithm read_algorithm(const Section& run) {
  const std::string name = run.require("algorithm", run.text("algorithm"));
  if (name != "ucb" && name != "ts") run.refuse("algorithm");
  return name == "ucb" ? LinearAlgorithm::ucb : LinearAlgorithm::ts;
}

// A number, or words; flags and variables have both as a text.
std::optional<NodeId> read_mask_generator(const Section& run, std::size_t participants) {
  const std::string given = run.text_or_whole("mask_generator").value_or(third_party);
  if (given == third_party) return std::nullopt;
  if (given == "0") {
    throw InputError(run.where("mask_generator"),
                     "the active participant, number 0, must not make the masks: it would see all "
                     "contexts; name a passive participant or \"third party\"");
  }
  if (given.size() == 1 && given[0] > '0' && given[0] <= '9') {
    const auto number = static_cast<NodeId>(given[0] - '0');
    if (number < participants) return number;
  }
  run.refuse("mask_generator");
}

O3mRun read_o3m(const Section& table, std::size_t participants) {
  O3mRun run;
  run.algorithm = read_algorithm(table);
  run.beta = read_real(table, "beta", 0, run.beta);
  run.v = read_real(table, "v", 0, run.v);
  run.lambda = read_real(table, "lambda", std::numeric_limits<double>::min(), run.lambda);
  run.mask_generator = read_mask_generator(table, participants);
  run.insecure_blocks = table.choice("insecure_blocks").value_or(false);
  run.acknowledge_leakage = table.choice("acknowledge_leakage").value_or(false);
  return run;
}

void read_bandit(const Section& table, RunConfig& run) {
  const auto choice = [&](const char* key) { return table.choice(key).value_or(false); };
  run.epsilon = table.real("epsilon").value_or(run.epsilon);
  if (!(run.epsilon >= 0 && run.epsilon <= 1)) table.refuse("epsilon");
  run.bits = static_cast<unsigned>(table.whole("bits", 12, 24).value_or(run.bits));
  run.max_norm = table.real("max_norm");
  if (run.max_norm && !(*run.max_norm > 0 && *run.max_norm <= 8)) table.refuse("max_norm");
  run.joint_norm_holds = choice("joint_norm_holds");
  run.binary_rewards = binary_rewards(table);
  run.deal_ahead = choice("deal_ahead");
  run.reveal_model = choice("reveal_model");
  run.separate_rewarder = choice("separate_rewarder");
  run.checkpoint_every = table.whole("checkpoint_every", 0, no_limit).value_or(0);
}

RunConfig read_run(const ConfigDocument& document) {
  const Section table(document, "run");
  const auto required = [&](const char* key, std::uint64_t least, std::uint64_t most) {
    return table.require(key, table.whole(key, least, most));
  };
  const auto choice = [&](const char* key) { return table.choice(key).value_or(false); };
  const bool o3m = is_o3m(table);
  refuse_keys_of_others(document, o3m);
  RunConfig run;
  run.session = session(table);
  run.parties = required(o3m ? "participants" : "parties", 2, max_parties);
  run.steps = required("steps", 1, no_limit);
  run.arms = required("arms", 1, max_arms);
  if (o3m) {
    run.o3m = read_o3m(table, run.parties);
  } else {
    read_bandit(table, run);
  }
  run.insecure_seed = table.whole("insecure_seed", 0, no_limit);
  run.insecure_plaintext = choice("insecure_plaintext");
  run.insecure_shared_keys = choice("insecure_shared_keys");
  return run;
}

net::LinkConditions read_link(const ConfigDocument& document) {
  const Section table(document, "link");
  net::LinkConditions link;
  if (const auto text = table.text("delay")) {
    link.delay = net::parse_delay(*text, table.where("delay"));
  }
  if (const auto text = table.text("jitter")) {
    link.jitter = net::parse_delay(*text, table.where("jitter"));
  }
  if (const auto text = table.text("rate")) {
    link.bits_per_second = net::parse_rate(*text, table.where("rate"));
  }
  if (const auto text = table.text("loss")) net::parse_loss(*text, table.where("loss"), link);
  return link;
}

using RoleWord = std::pair<Role, const char*>;
constexpr RoleWord bandit_roles[] = {{Role::party, "party"},
                                     {Role::dealer, "dealer"},
                                     {Role::actor, "actor"},
                                     {Role::rewarder, "rewarder"}};
constexpr RoleWord o3m_roles[] = {
    {Role::active, "active"}, {Role::passive, "passive"}, {Role::mask_generator, "mask_generator"}};

Role read_role_name(const Section& table, bool o3m) {
  const std::string name = table.require("name", table.text("name"));
  for (const auto& [role, text] : o3m ? std::span<const RoleWord>(o3m_roles) : bandit_roles) {
    if (name == text) return role;
  }
  table.refuse("name");
}

Combine read_combine(const Section& role, bool has_arms_file) {
  const auto text = role.text("combine");
  if (!text) return Combine::concatenate;
  if (!has_arms_file) {
    throw InputError(role.where("combine"),
                     "there is nothing to combine the contexts with: name arms_file in [role], or "
                     "leave combine out");
  }
  return parse_combine(*text, role.where("combine"));
}

double read_deadline(const Section& table, const char* key, double otherwise) {
  constexpr double a_day = 86400;
  const double seconds = table.real(key).value_or(otherwise);
  if (!(seconds > 0 && seconds <= a_day)) table.refuse(key);
  return seconds;
}

void read_role(const ConfigDocument& document, RoleConfig& config) {
  const Section table(document, "role");
  config.role = read_role_name(table, config.run.o3m.has_value());
  if (config.role == Role::party || config.role == Role::passive) {
    const std::uint64_t least = config.role == Role::passive ? 1 : 0;
    config.id = table.require("id", table.whole("id", least, config.run.parties - 1));
  }
  config.data = table.path("data");
  config.contexts = table.path("contexts");
  config.arms_file = table.path("arms_file");
  config.combine = read_combine(table, !config.arms_file.empty());
  config.environment = table.path("environment");
  config.arm_socket = table.path("arm_socket");
  config.report = table.path("report");
  config.key = table.path("key");
  config.listen = table.text("listen").value_or("");
  config.state = table.path("state");
  config.delay = table.text("delay").value_or("");
  config.round_deadline_seconds =
      read_deadline(table, "round_deadline_seconds", config.round_deadline_seconds);
  config.connect_deadline_seconds =
      read_deadline(table, "connect_deadline_seconds", config.connect_deadline_seconds);
}

std::map<std::string, std::string> read_texts(const ConfigDocument& document,
                                              const std::string& table) {
  const Section section(document, table);
  std::map<std::string, std::string> texts;
  for (const std::string& key : key_names(table)) {
    if (const auto text = section.text(key)) texts.emplace(key, *text);
  }
  return texts;
}

std::string remark(const ConfigLine& line) {
  if (!line.key.starts_with("insecure_") || line.value == "false") return {};
  return "; INSECURE: " + find_key(line.table, line.key)->help;
}

}  // namespace

EffectiveConfig config_of(const ConfigDocument& document) {
  EffectiveConfig effective;
  RoleConfig& config = effective.config;
  config.run = read_run(document);
  config.run.link = read_link(document);
  config.run.trust = read_texts(document, "trust");
  read_role(document, config);
  config.peers = read_texts(document, "peers");
  check_config(config, document);
  for (const auto& [table, values] : document.tables) {
    for (const auto& [key, value] : values) {
      effective.origins.emplace(fmt::format("{}.{}", table, key), value.origin);
    }
  }
  return effective;
}

EffectiveConfig read_effective_config(const std::filesystem::path& file,
                                      const ConfigOverlay& overlay) {
  ConfigDocument document = read_document(file);
  lay_over(document, overlay);
  return config_of(document);
}

std::string annotated_toml(const EffectiveConfig& effective) {
  std::string text =
      fmt::format("# The config of {}: each value with its origin\n", effective.config.name());
  std::string table;
  for (const ConfigLine& line : config_lines(effective.config)) {
    if (line.table != table) text += fmt::format("\n[{}]\n", line.table);
    table = line.table;
    const auto origin = effective.origins.find(line.table + "." + line.key);
    const std::string from = origin == effective.origins.end() ? "default" : origin->second.brief();
    text += terminal_safe(fmt::format("{} = {}  # {}{}", line.key, line.value, from, remark(line)));
    text += '\n';
  }
  return text;
}

}  // namespace sotto::apps
