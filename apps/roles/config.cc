#include "apps/roles/config.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>

#include "apps/bandit/privacy.h"
#include "apps/data/contexts.h"
#include "core/error/errors.h"
#include "core/random/seed.h"

namespace sotto::apps {
namespace {

// Reads one table of the file: every key is taken once, with its type checked; what is left over is
// an error.
class Section {
 public:
  Section(const toml::table& root, std::string name, std::string file)
      : name_(std::move(name)), file_(std::move(file)) {
    const toml::node* node = root.get(name_);
    if (node == nullptr) throw InputError(file_, fmt::format("the table [{}] is missing", name_));
    table_ = node->as_table();
    if (table_ == nullptr)
      throw InputError(where(*node), fmt::format("[{}] must be a table", name_));
  }

  template <class T>
  std::optional<T> take(std::string_view key, std::string_view expected) {
    taken_.emplace_back(key);
    const toml::node* node = table_->get(key);
    if (node == nullptr) return std::nullopt;
    std::optional<T> value = node->value_exact<T>();
    if (!value)
      throw InputError(where(*node), fmt::format("{} in [{}] must be {}", key, name_, expected));
    return value;
  }
  template <class T>
  T require(std::string_view key, std::string_view expected) {
    const std::optional<T> value = take<T>(key, expected);
    if (!value)
      throw InputError(file_, fmt::format("[{}] lacks {}: it must be {}", name_, key, expected));
    return *value;
  }
  std::uint64_t require_count(std::string_view key, std::string_view expected) {
    return count(key, require<std::int64_t>(key, expected), expected);
  }
  std::optional<std::uint64_t> take_count(std::string_view key, std::string_view expected) {
    const std::optional<std::int64_t> value = take<std::int64_t>(key, expected);
    if (!value) return std::nullopt;
    return count(key, *value, expected);
  }
  // A real number, also when it is written without a point.
  std::optional<double> take_real(std::string_view key) {
    taken_.emplace_back(key);
    const toml::node* node = table_->get(key);
    if (node == nullptr) return std::nullopt;
    const std::optional<double> value = node->value<double>();
    if (!value || !node->is_number()) {
      throw InputError(where(*node), fmt::format("{} in [{}] must be a number", key, name_));
    }
    return value;
  }
  // A text that parse(text, where) takes.
  template <class Parse>
  void take_text(std::string_view key, Parse parse) {
    const std::optional<std::string> text = take<std::string>(key, "a text, such as \"20ms\"");
    if (text) parse(*text, fmt::format("{}: {} in [{}]", where(*table_->get(key)), key, name_));
  }
  std::map<std::string, std::string> take_all_texts(std::string_view expected) {
    std::map<std::string, std::string> texts;
    for (const auto& [key, node] : *table_) {
      const std::optional<std::string> text = node.value_exact<std::string>();
      if (!text)
        throw InputError(where(node),
                         fmt::format("{} in [{}] must be {}", key.str(), name_, expected));
      texts.emplace(key.str(), *text);
      taken_.emplace_back(key.str());
    }
    return texts;
  }
  void nothing_left() const {
    for (const auto& [key, node] : *table_) {
      if (std::find(taken_.begin(), taken_.end(), key.str()) == taken_.end()) {
        throw InputError(where(node), fmt::format("unknown key '{}' in [{}]", key.str(), name_));
      }
    }
  }

 private:
  [[nodiscard]] std::string where(const toml::node& node) const {
    return fmt::format("{}:{}:{}", file_, node.source().begin.line, node.source().begin.column);
  }
  std::uint64_t count(std::string_view key, std::int64_t value, std::string_view expected) const {
    if (value < 0)
      throw InputError(where(*table_->get(key)),
                       fmt::format("{} in [{}] must be {}", key, name_, expected));
    return static_cast<std::uint64_t>(value);
  }

  std::string name_;
  std::string file_;
  const toml::table* table_ = nullptr;
  std::vector<std::string> taken_;
};

toml::table parse(const std::filesystem::path& path) {
  try {
    return toml::parse_file(path.string());
  } catch (const toml::parse_error& error) {
    const auto begin = error.source().begin;
    const std::string where =
        begin ? fmt::format("{}:{}:{}", path.string(), begin.line, begin.column) : path.string();
    throw InputError(where, fmt::format("{}", error.description()));
  }
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

net::LinkConditions read_link(const toml::table& root, const std::string& file) {
  net::LinkConditions link;
  if (!root.contains("link")) return link;
  Section section(root, "link", file);
  section.take_text("delay", [&](const std::string& text, const std::string& where) {
    link.delay = net::parse_delay(text, where);
  });
  section.take_text("jitter", [&](const std::string& text, const std::string& where) {
    link.jitter = net::parse_delay(text, where);
  });
  section.take_text("rate", [&](const std::string& text, const std::string& where) {
    link.bits_per_second = net::parse_rate(text, where);
  });
  section.take_text("loss", [&](const std::string& text, const std::string& where) {
    net::parse_loss(text, where, link);
  });
  section.nothing_left();
  return link;
}

// A line a condition that is set: "<prefix>delay = "20ms"".
std::string link_lines(const net::LinkConditions& link, const std::string& prefix) {
  std::string lines;
  const auto add = [&](const char* key, const std::string& value) {
    lines += fmt::format("{}{} = {}\n", prefix, key, quoted(value));
  };
  if (link.delay.count() > 0) add("delay", net::delay_text(link.delay));
  if (link.jitter.count() > 0) add("jitter", net::delay_text(link.jitter));
  if (link.bits_per_second > 0) add("rate", net::rate_text(link.bits_per_second));
  if (const std::string loss = net::loss_text(link); !loss.empty()) add("loss", loss);
  return lines;
}

RunConfig read_run(const toml::table& root, const std::string& file) {
  Section section(root, "run", file);
  RunConfig run;
  run.session = section.require<std::string>("session", "32 hex digits");
  if (run.session.size() != 32 ||
      run.session.find_first_not_of("0123456789abcdef") != std::string::npos) {
    throw InputError(file,
                     "session in [run] must be 32 lower-case hex digits, fresh for every run");
  }
  run.parties = section.require_count("parties", "2 to 8");
  if (run.parties < 2 || run.parties > max_parties)
    throw InputError(file, "parties in [run] must be 2 to 8");
  run.steps = section.require_count("steps", "a whole number of steps");
  run.arms = section.require_count("arms", "a whole number of arms");
  run.epsilon = section.take_real("epsilon").value_or(run.epsilon);
  run.bits = static_cast<unsigned>(section.take_count("bits", "12 to 24").value_or(run.bits));
  run.max_norm = section.take_real("max_norm");
  const std::string rewards =
      section.take<std::string>("rewards", "\"binary\" or \"real\"").value_or("binary");
  if (rewards != "binary" && rewards != "real")
    throw InputError(file, "rewards in [run] must be \"binary\" or \"real\"");
  run.binary_rewards = rewards == "binary";
  run.deal_ahead = section.take<bool>("deal_ahead", "true or false").value_or(false);
  run.reveal_model = section.take<bool>("reveal_model", "true or false").value_or(false);
  run.separate_rewarder = section.take<bool>("separate_rewarder", "true or false").value_or(false);
  run.insecure_seed = section.take_count("insecure_seed", "a whole number");
  run.insecure_plaintext =
      section.take<bool>("insecure_plaintext", "true or false").value_or(false);
  run.insecure_shared_keys =
      section.take<bool>("insecure_shared_keys", "true or false").value_or(false);
  run.checkpoint_every = section.take_count("checkpoint_every", "a number of steps").value_or(0);
  section.nothing_left();
  return run;
}

Role role_of(const std::string& name, const std::string& file) {
  for (const auto& [role, text] :
       {std::pair{Role::party, "party"}, std::pair{Role::dealer, "dealer"},
        std::pair{Role::actor, "actor"}, std::pair{Role::rewarder, "rewarder"}}) {
    if (name == text) return role;
  }
  throw InputError(
      file, fmt::format("name in [role] must be party, dealer, actor or rewarder, not '{}'", name));
}

void require_peers(const RoleConfig& config, const std::string& file) {
  std::vector<std::string> keys{"dealer"};
  for (std::size_t id = 0; id < config.run.parties; ++id) keys.push_back(peer_key(Role::party, id));
  for (const std::string& key : keys) {
    if (!config.peers.contains(key)) throw InputError(file, fmt::format("[peers] lacks {}", key));
  }
  for (const auto& [key, address] : config.peers) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      throw InputError(
          file, fmt::format("[peers] names '{}', but only the dealer and the {} parties listen",
                            key, config.run.parties));
    }
  }
}

void require_files(const RoleConfig& config, const std::string& file) {
  if (config.role == Role::party && config.data.empty())
    throw InputError(file, "[role] lacks data: the party's CSV file");
  const bool outside = config.role == Role::actor || config.role == Role::rewarder;
  const bool gets_rewards =
      outside && !(config.role == Role::actor && config.run.separate_rewarder);
  if (gets_rewards && config.environment.empty()) {
    throw InputError(file, "[role] lacks environment: the CSV file of labels or rewards");
  }
  if (outside && config.run.separate_rewarder && config.arm_socket.empty()) {
    throw InputError(
        file, "[role] lacks arm_socket: with a separate rewarder, actor and rewarder meet there");
  }
  if (config.role == Role::party && config.id >= config.run.parties) {
    throw InputError(file, fmt::format("id in [role] must be 0 to {}", config.run.parties - 1));
  }
  if (config.role == Role::rewarder && !config.run.separate_rewarder) {
    throw InputError(file, "a rewarder of its own needs separate_rewarder = true in [run]");
  }
}

// A TOML float needs a point or an exponent.
std::string real(double value) {
  const std::string text = fmt::format("{}", value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string run_lines(const RunConfig& run) {
  std::string text = fmt::format(
      "session = {}\nparties = {}\nsteps = {}\narms = {}\nepsilon = {}\nbits = {}\n",
      quoted(run.session), run.parties, run.steps, run.arms, real(run.epsilon), run.bits);
  if (run.max_norm) text += fmt::format("max_norm = {}\n", real(*run.max_norm));
  text +=
      fmt::format("rewards = \"{}\"\ndeal_ahead = {}\nreveal_model = {}\nseparate_rewarder = {}\n",
                  run.binary_rewards ? "binary" : "real", run.deal_ahead, run.reveal_model,
                  run.separate_rewarder);
  if (run.insecure_seed) text += fmt::format("insecure_seed = {}\n", *run.insecure_seed);
  if (run.insecure_plaintext) text += "insecure_plaintext = true\n";
  if (run.insecure_shared_keys) text += "insecure_shared_keys = true\n";
  if (run.checkpoint_every > 0) {
    text += fmt::format("checkpoint_every = {}\n", run.checkpoint_every);
  }
  return text;
}

std::string trust_lines(const RunConfig& run, const std::string& prefix) {
  std::string lines;
  for (const auto& [role, fingerprint] : run.trust) {
    lines += fmt::format("{}{} = {}\n", prefix, role, quoted(fingerprint));
  }
  return lines;
}

std::map<std::string, std::string> read_trust(const toml::table& root, const std::string& file) {
  if (!root.contains("trust")) return {};
  Section section(root, "trust", file);
  return section.take_all_texts("a fingerprint, \"sha256:...\"");
}

// A file's relative paths are relative to its folder.
void resolve_paths(RoleConfig& config, const std::filesystem::path& folder) {
  for (std::filesystem::path* path : {&config.data, &config.environment, &config.arm_socket,
                                      &config.report, &config.key, &config.state}) {
    if (!path->empty() && path->is_relative()) *path = folder / *path;
  }
}

}  // namespace

std::string peer_key(Role role, std::size_t id) {
  switch (role) {
    case Role::actor:
      return "actor";
    case Role::rewarder:
      return "rewarder";
    case Role::dealer:
      return "dealer";
    default:
      return fmt::format("party_{}", id);
  }
}

std::string RoleConfig::name() const {
  return role == Role::party ? fmt::format("party {}", id) : peer_key(role, id);
}

std::string RunConfig::canonical_text() const {
  return run_lines(*this) + link_lines(link, "link_") + trust_lines(*this, "trust_");
}

RoleConfig read_role_config(const std::filesystem::path& path) {
  const std::string file = path.string();
  const toml::table root = parse(path);
  for (const auto& [key, node] : root) {
    if (key != "run" && key != "link" && key != "role" && key != "peers" && key != "trust")
      throw InputError(file, fmt::format("unknown table [{}]", key.str()));
  }
  RoleConfig config;
  config.run = read_run(root, file);
  config.run.link = read_link(root, file);
  config.run.trust = read_trust(root, file);
  Section role(root, "role", file);
  config.role =
      role_of(role.require<std::string>("name", "party, dealer, actor or rewarder"), file);
  if (config.role == Role::party)
    config.id = role.require_count("id", "the party's number, from 0");
  config.data = role.take<std::string>("data", "a file name").value_or("");
  config.environment = role.take<std::string>("environment", "a file name").value_or("");
  config.arm_socket = role.take<std::string>("arm_socket", "a file name").value_or("");
  config.report = role.take<std::string>("report", "a file name").value_or("");
  config.key = role.take<std::string>("key", "a file name").value_or("");
  config.listen = role.take<std::string>("listen", "an address, \"host:port\"").value_or("");
  config.state = role.take<std::string>("state", "a folder").value_or("");
  config.delay = role.take<std::string>("delay", "a distribution of delays").value_or("");
  config.round_deadline_seconds =
      role.take_real("round_deadline_seconds").value_or(config.round_deadline_seconds);
  config.connect_deadline_seconds =
      role.take_real("connect_deadline_seconds").value_or(config.connect_deadline_seconds);
  if (!(config.round_deadline_seconds > 0 && config.connect_deadline_seconds > 0)) {
    throw InputError(file, "deadlines in [role] must be positive numbers of seconds");
  }
  role.nothing_left();
  Section peers(root, "peers", file);
  config.peers = peers.take_all_texts("an address, \"host:port\"");
  require_peers(config, file);
  require_files(config, file);
  resolve_paths(config, std::filesystem::absolute(path).parent_path());
  return config;
}

std::string to_toml(const RoleConfig& config) {
  std::string text = "[run]\n" + run_lines(config.run);
  if (config.run.link.emulated()) text += "\n[link]\n" + link_lines(config.run.link, "");
  text += fmt::format("\n[role]\nname = \"{}\"\n",
                      config.role == Role::party ? "party" : peer_key(config.role, 0));
  if (config.role == Role::party) text += fmt::format("id = {}\n", config.id);
  if (!config.data.empty()) text += fmt::format("data = {}\n", quoted(config.data.string()));
  if (!config.environment.empty())
    text += fmt::format("environment = {}\n", quoted(config.environment.string()));
  if (!config.arm_socket.empty())
    text += fmt::format("arm_socket = {}\n", quoted(config.arm_socket.string()));
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) text += fmt::format("{} = {}\n", key, quoted(value));
  };
  add("report", config.report.string());
  add("key", config.key.string());
  add("listen", config.listen);
  add("state", config.state.string());
  add("delay", config.delay);
  text += fmt::format("round_deadline_seconds = {}\nconnect_deadline_seconds = {}\n\n[peers]\n",
                      real(config.round_deadline_seconds), real(config.connect_deadline_seconds));
  for (const auto& [key, address] : config.peers)
    text += fmt::format("{} = {}\n", key, quoted(address));
  if (!config.run.trust.empty()) text += "\n[trust]\n" + trust_lines(config.run, "");
  return text;
}

std::string fresh_session() {
  const Seed seed = Seed::from_os();
  std::string hex;
  for (const std::byte b : seed.expose()) hex += fmt::format("{:02x}", static_cast<unsigned>(b));
  return hex;
}

BanditParameters bandit_parameters(const RunConfig& run, const std::vector<std::size_t>& columns,
                                   const std::vector<double>& bounds) {
  const ExplorationThreshold exploration = epsilon_threshold(run.epsilon);
  BanditParameters parameters;
  parameters.columns = columns;
  parameters.arms = run.arms;
  parameters.steps = run.steps;
  parameters.max_norm = run.max_norm.value_or(joint_bound(bounds));
  parameters.binary_rewards = run.binary_rewards;
  parameters.fraction_bits = run.bits;
  parameters.exploration = {exploration.threshold, exploration.always};
  parameters.reveal_model = run.reveal_model;
  parameters.separate_rewarder = run.separate_rewarder;
  return parameters;
}

}  // namespace sotto::apps
