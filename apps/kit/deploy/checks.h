// The checks of a doctor on the role's own machine, without asking any role, and its findings about one peer.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "apps/kit/deploy/finding.h"
#include "apps/kit/settings/command_config.h"
#include "apps/kit/settings/role_settings.h"
#include "net/mesh/handshake/inquiry.h"
#include "sotto/protocol/transport/tls/identity.h"

namespace sotto::apps {

// Warnings for settings that make the run insecure on purpose.
[[nodiscard]] Findings check_security(const Settings& config);

// Checks that the certificate is valid at `now` and for longer than the next 60 days.
[[nodiscard]] Finding check_certificate(const net::Certificate& certificate, net::WallTime now);

// Checks the role's key: it exists, has mode 0600, belongs to the certificate in [trust], and is valid at `now` and for
// longer than the next 60 days. Returns nothing with insecure_plaintext.
[[nodiscard]] Findings check_key(const RoleSettings& config, net::WallTime now);

// Checks the folder of a role's store.
[[nodiscard]] Finding check_state(const std::filesystem::path& state);

// Checks the folders that the report goes to.
[[nodiscard]] Findings check_folders(const RoleSettings& config);

// Largest difference between two clocks without a warning. Certificates are valid by the clock, and people read logs of
// several machines side by side.
inline constexpr std::chrono::seconds clocks_apart{5};

// The facts known about a peer when an inquiry has ended or was given up.
struct PeerSeen {
  std::string name;  // "party 1"
  NodeId id = 0;
  std::string address;
  net::Inquiry::State state = net::Inquiry::State::unreachable;
  bool resolved = true;
  std::string trouble;
  std::string fingerprint;
  std::optional<net::WallTime> valid_until{};  // the end of the certificate with that fingerprint
  bool is_next = false;                        // true: the certificate is the second one that is trusted for the role
  net::Probe answer{};
  std::chrono::microseconds ahead{};
  std::chrono::microseconds uncertainty{};
};

[[nodiscard]] PeerSeen seen(const net::Inquiry& inquiry, const std::string& name);

// One finding for each thing that could be checked: port, certificate, version, clock, parameters. `mine` is this
// role's own answer. A peer that was not reached gives only that finding.
[[nodiscard]] Findings judge(const PeerSeen& peer, const net::Probe& mine, const Topology& topology);

// Warnings before a certificate ends. Certificates that were made at the same time end at the same time, and a service
// then stops at all roles.

// Time that is needed to make a key and to send its fingerprint to the other organisations.
inline constexpr std::chrono::hours certificate_warning_time{60 * 24};

// The warning, such as "the certificate of party 1 ends on 2026-03-01 12:00:00 UTC, in 41 days". Nothing while more
// than certificate_warning_time is left. `whose` is "party 1" or "this role".
[[nodiscard]] std::optional<std::string> certificate_end(const std::string& whose, net::WallTime until,
                                                         net::WallTime now);

// `sotto doctor`: tries one role's config before a run or while its role waits.
//
// The doctor checks this machine, listens on the role's address, and asks every role that listens. The doctors of all
// machines therefore answer each other. A role that sets up its links also answers, and then continues. The doctor
// changes nothing on any machine, and no secret leaves the machine: the doctor sends the config of the run, only to
// roles of the run.

struct Examination {
  // How long the doctor retries peers that do not answer, and stays for doctors that start later.
  std::chrono::milliseconds wait{30'000};
  // Called with a line of text after every change.
  std::function<void(const std::string&)> progress;
  const std::atomic<bool>& interrupted;
};

// Throws Interrupted if the flag was raised. Every other error is a finding.
[[nodiscard]] Findings examine(const RoleSettings& config, const Examination& examination);

// Checks a service or a client of services: its key, its port, and whether the services that it connects to answer.
[[nodiscard]] Findings examine_service(const CommandSettings& settings, const Examination& examination);

}  // namespace sotto::apps
