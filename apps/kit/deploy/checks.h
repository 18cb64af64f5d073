// The checks that `sotto doctor` makes on the role's own machine without asking any role, and the doctor's findings
// about one peer.
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

// Checks that the certificate is valid at `now` and for more than the next 60 days.
[[nodiscard]] Finding check_certificate(const net::Certificate& certificate, net::WallTime now);

// Checks that the role's key exists, has mode 0600, belongs to the certificate in [trust], and is valid at `now` and
// for more than the next 60 days. Returns no findings if insecure_plaintext is set for the run.
[[nodiscard]] Findings check_key(const RoleSettings& config, net::WallTime now);

// Checks the folder of a role's store.
[[nodiscard]] Finding check_state(const std::filesystem::path& state);

// Checks the folders that the role's report is written to.
[[nodiscard]] Findings check_folders(const RoleSettings& config);

// The doctor warns if two clocks differ by more than this and the uncertainty of the measurement. Clocks should agree,
// because they decide whether a certificate is valid, and because people compare the logs of several machines.
inline constexpr std::chrono::seconds clocks_apart{5};

// The facts that the doctor knows about a peer once its inquiry to the peer has ended or the doctor has given up.
struct PeerSeen {
  std::string name;  // "party 1"
  NodeId id = 0;
  std::string address;
  net::Inquiry::State state = net::Inquiry::State::unreachable;
  bool resolved = true;
  std::string trouble;
  std::string fingerprint;
  std::optional<net::WallTime> valid_until{};  // the time at which the certificate with this fingerprint expires
  bool is_next = false;                        // true: the certificate is the second one that is trusted for the peer
  net::Probe answer{};
  std::chrono::microseconds ahead{};
  std::chrono::microseconds uncertainty{};
};

[[nodiscard]] PeerSeen seen(const net::Inquiry& inquiry, const std::string& name);

// One finding for each thing that could be checked: port, certificate, version, clock, parameters. `mine` is this
// role's own answer. For a peer that was not reached, the only finding is that the peer was not reached.
[[nodiscard]] Findings judge(const PeerSeen& peer, const net::Probe& mine, const Topology& topology);

// The warnings before a certificate expires. Certificates that were made at the same time expire at the same time, and
// the service that uses them then stops at all its roles.

// The warning comes this long before a certificate expires, so that there is time to make a key and to send its
// fingerprint to the other organisations.
inline constexpr std::chrono::hours certificate_warning_time{60 * 24};

// The warning, such as "the certificate of party 1 ends on 2026-03-01 12:00:00 UTC, in 41 days". Returns nothing while
// more than certificate_warning_time is left. `whose` names the owner of the certificate: "party 1" or "this role".
[[nodiscard]] std::optional<std::string> certificate_end(const std::string& whose, net::WallTime until,
                                                         net::WallTime now);

// `sotto doctor`: tries one role's config before a run or while its role waits.
//
// The doctor checks this machine, listens on the role's address, and asks every role that listens. The doctors of all
// machines therefore answer each other. A role that is setting up its links also answers a doctor, and then continues.
// The doctor changes nothing on any machine, and no secret leaves the machine. The doctor sends only the config of the
// run, and only to roles of the run.

struct Examination {
  // How long the doctor retries peers that do not answer, and how long it waits for doctors that start later.
  std::chrono::milliseconds wait{30'000};
  // Called with a line of text after every change in what the doctor knows about a peer.
  std::function<void(const std::string&)> progress;
  const std::atomic<bool>& interrupted;
};

// Runs the doctor for a role of a run. Throws Interrupted if the flag `interrupted` was set, and reports every other
// error as a finding.
[[nodiscard]] Findings examine(const RoleSettings& config, const Examination& examination);

// Checks a service or a client of services: its key, its port, and whether the services that it connects to answer.
[[nodiscard]] Findings examine_service(const CommandSettings& settings, const Examination& examination);

}  // namespace sotto::apps
