#include "sotto/apps/kit/settings/checks.h"

#include <fmt/format.h>
#include <sys/un.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "sotto/apps/bandit/delay.h"
#include "sotto/apps/kit/deploy/run_roles.h"
#include "sotto/apps/kit/settings/section.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/text/count.h"
#include "sotto/net/transport/tcp/address.h"
#include "sotto/net/transport/tls/certificate.h"

namespace sotto::apps {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// In lower case, since that is how names are compared.
std::string read_address(const std::string& text, const std::string& where) {
  net::Address address = net::parse_address(text, where);
  for (char& c : address.host) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte >= 0x7f) {
      throw InputError(where, "a host is a name of ASCII characters or a numeric address");
    }
    c = static_cast<char>(std::tolower(byte));
  }
  return address.text();
}

std::string who_listens(const RunConfig& run) {
  if (!run.o3m) {
    return fmt::format("only the dealer and the {} parties of the run listen", run.parties);
  }
  return fmt::format("nobody connects to it: of this run only {} listen",
                     fmt::join(listening_roles(run), ", "));
}

void check_peers(const RoleConfig& config, const Section& peers) {
  const std::vector<std::string> wanted = listening_roles(config.run);
  for (const std::string& name : wanted) {
    if (!config.peers.contains(name)) peers.refuse_missing(name);
  }
  std::map<std::string, std::string> roles;  // by address
  for (const auto& [name, text] : config.peers) {
    if (!contains(wanted, name)) {
      throw InputError(peers.where(name), who_listens(config.run));
    }
    const auto [other, alone] = roles.emplace(read_address(text, peers.where(name)), name);
    if (!alone) {
      throw InputError(peers.where(name),
                       fmt::format("{} is the address of {} too; each role needs a host or a port "
                                   "of its own",
                                   other->first, other->second));
    }
  }
}

void check_trust(const RoleConfig& config, const Section& trust, const std::string& file) {
  const std::vector<std::string> wanted = role_names(config.run);
  std::map<std::string, std::string> roles;  // by fingerprint
  for (const auto& [name, fingerprint] : config.run.trust) {
    if (!contains(wanted, name)) throw InputError(trust.where(name), "the run has no such role");
    if (!net::is_fingerprint(fingerprint)) trust.refuse(name);
    const auto [other, alone] = roles.emplace(fingerprint, name);
    if (!alone) {
      throw InputError(trust.where(name),
                       fmt::format("{} has the same certificate; each role needs a key of its own",
                                   other->second));
    }
  }
  if (config.run.insecure_plaintext) return;
  for (const std::string& name : wanted) {
    if (config.run.trust.contains(name)) continue;
    throw InputError(
        trust.where(name),
        fmt::format(
            "the fingerprint is missing: `sotto keys trust --config {} {} FINGERPRINT` adds "
            "the one that `sotto keys show` prints at whoever runs the role; compare it by "
            "telephone",
            file, name));
  }
}

void check_key(const RoleConfig& config, const Section& role) {
  if (!config.key.empty() || config.run.insecure_plaintext) return;
  throw InputError(
      role.where("key"),
      fmt::format("the role's private key is missing: `sotto keys new --out key.pem --name "
                  "{}` makes one; name its file with key in [role] or --key (a trial "
                  "can do without by insecure_plaintext = true in [run])",
                  peer_key(config.role, config.id)));
}

void check_listen(const RoleConfig& config, const Section& role) {
  if (config.listen.empty()) return;
  if (!own_role(config).listens) {
    throw InputError(
        role.where("listen"),
        fmt::format("{} only connects and needs no port; leave listen out", spoken_name(config)));
  }
  (void)read_address(config.listen, role.where("listen"));
}

void check_state(const RoleConfig& config, const Section& role, const Section& run) {
  if (config.run.checkpoint_every > 0 && config.state.empty()) {
    throw InputError(run.where("checkpoint_every"),
                     fmt::format("checkpoints every {} need a folder: name it with state in [role] "
                                 "or --state, or set checkpoint_every = 0 at all roles",
                                 counted(config.run.checkpoint_every, "step")));
  }
  if (config.run.checkpoint_every == 0 && !config.state.empty()) {
    throw InputError(role.where("state"),
                     "there is nothing to store: set checkpoint_every in [run] at all roles to a "
                     "number of steps, or leave state out");
  }
  if (!config.state.empty() && config.key.empty()) {
    throw InputError(role.where("state"),
                     "the store is encrypted with the role's key: name it with key in [role] or "
                     "--key, `sotto keys new` makes one");
  }
}

bool is_outside(const RoleConfig& config) {
  return config.role == Role::actor || config.role == Role::rewarder;
}

void check_delay(const RoleConfig& config, const Section& role) {
  if (config.delay.empty()) return;
  if (!is_outside(config)) {
    throw InputError(role.where("delay"),
                     "only the actor and the rewarder delay their answers; leave it out");
  }
  require_delay_within(parse_answer_delay(config.delay, role.where("delay")),
                       config.round_deadline_seconds, role.where("delay"));
}

void check_o3m_files(const RoleConfig& config, const Section& role) {
  const bool participant = config.role != Role::mask_generator;
  if (participant && config.contexts.empty()) role.refuse_missing("contexts");
  if (config.role == Role::active && config.environment.empty()) role.refuse_missing("environment");
  const auto refuse_of_others = [&](const char* key, const std::filesystem::path& file,
                                    const char* whose) {
    if (file.empty()) return;
    throw InputError(role.where(key), fmt::format("{} has none; it is of {} alone: leave it out",
                                                  spoken_name(config), whose));
  };
  if (!participant) refuse_of_others("contexts", config.contexts, "the participants");
  if (!participant) refuse_of_others("arms_file", config.arms_file, "the participants");
  if (config.role == Role::active) return;
  refuse_of_others("environment", config.environment, "the active participant");
}

// Who starts a role for itself decides over data of its own, so this is no warning.
void check_acknowledged(const RoleConfig& config, const Section& run) {
  if (!config.run.o3m || config.run.o3m->acknowledge_leakage) return;
  throw InputError(
      run.where("acknowledge_leakage"),
      fmt::format("O3M hides features from nobody who looks for them: the active participant "
                  "learns lengths, angles and repetitions of all contexts, and with a few known "
                  "ones all features; the mask generator with it learns everything. Read "
                  "docs/o3m.md; if the owner of this role's data accepts that, set "
                  "acknowledge_leakage = true or give --acknowledge-leakage"));
}

void check_joint_norm(const RunConfig& run, const Section& section) {
  if (!run.joint_norm_holds || run.max_norm) return;
  throw InputError(section.where("joint_norm_holds"),
                   "there is no max_norm that the joint rows could keep to: set it in [run], or "
                   "leave joint_norm_holds out");
}

void check_files(const RoleConfig& config, const Section& role) {
  if (config.run.o3m) check_o3m_files(config, role);
  if (config.role == Role::party && config.data.empty()) role.refuse_missing("data");
  const bool other_gets_rewards = config.role == Role::actor && config.run.separate_rewarder;
  if (is_outside(config) && !other_gets_rewards && config.environment.empty()) {
    role.refuse_missing("environment");
  }
  if (is_outside(config) && config.run.separate_rewarder && config.arm_socket.empty()) {
    role.refuse_missing("arm_socket");
  }
  constexpr std::size_t longest_socket = sizeof(sockaddr_un::sun_path) - 1;
  if (config.arm_socket.string().size() > longest_socket) {
    throw InputError(role.where("arm_socket"),
                     fmt::format("'{}' is too long for a socket's path, {} bytes at most",
                                 config.arm_socket.string(), longest_socket));
  }
  if (config.report.empty()) return;
  for (const auto* input :
       {&config.data, &config.contexts, &config.arms_file, &config.environment, &config.key}) {
    if (config.report == *input) {
      throw InputError(role.where("report"),
                       fmt::format("'{}' is an input of the role, which the report would overwrite",
                                   config.report.string()));
    }
  }
}

}  // namespace

void check_config(const RoleConfig& config, const ConfigDocument& document) {
  const Section run(document, "run");
  const Section role(document, "role");
  check_acknowledged(config, run);
  check_joint_norm(config.run, run);
  if (config.role == Role::mask_generator && config.run.o3m->mask_generator) {
    throw InputError(role.where("name"),
                     fmt::format("passive participant {} generates the mask in this run; a role of "
                                 "its own needs mask_generator = \"{}\" in [run]",
                                 *config.run.o3m->mask_generator, third_party));
  }
  if (config.role == Role::rewarder && !config.run.separate_rewarder) {
    throw InputError(role.where("name"),
                     "a rewarder of its own needs separate_rewarder = true in [run]");
  }
  check_peers(config, Section(document, "peers"));
  check_files(config, role);
  check_listen(config, role);
  check_delay(config, role);
  check_state(config, role, run);
  check_key(config, role);
  check_trust(config, Section(document, "trust"), document.file);
}

}  // namespace sotto::apps
