// What a doctor can check on the role's own machine, without asking anybody, and what it makes of what it has heard of
// one peer.
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

// Warnings for what makes the run insecure on purpose.
[[nodiscard]] Findings check_security(const Settings& config);

// Valid at `now`, and for longer than the next 60 days.
[[nodiscard]] Finding check_certificate(const net::Certificate& certificate, net::WallTime now);

// The role's key: there, 0600, of the certificate in [trust], valid at `now` and for longer than the next 60 days.
// Nothing with insecure_plaintext.
[[nodiscard]] Findings check_key(const RoleSettings& config, net::WallTime now);

// The folder of a role's store.
[[nodiscard]] Finding check_state(const std::filesystem::path& state);

// Where the report goes.
[[nodiscard]] Findings check_folders(const RoleSettings& config);

// Clocks further apart than this are warned about: certificates are valid by the clock, and logs of several machines
// are read side by side.
inline constexpr std::chrono::seconds clocks_apart{5};

// An inquiry that has ended, or was given up.
struct PeerSeen {
  std::string name;  // "party 1"
  NodeId id = 0;
  std::string address;
  net::Inquiry::State state = net::Inquiry::State::unreachable;
  bool resolved = true;
  std::string trouble;
  std::string fingerprint;
  std::optional<net::WallTime> valid_until{};  // of that certificate
  bool is_next = false;                        // it is the second one that is trusted for the role
  net::Probe answer{};
  std::chrono::microseconds ahead{};
  std::chrono::microseconds uncertainty{};
};

[[nodiscard]] PeerSeen seen(const net::Inquiry& inquiry, const std::string& name);

// One finding for each thing that could be checked: port, certificate, version, clock, parameters. `mine` is what this
// role says of itself. Of a peer that was not reached only that.
[[nodiscard]] Findings judge(const PeerSeen& peer, const net::Probe& mine, const Topology& topology);

// Warnings before a certificate ends. Those that were made together end together, and a service then stops at all
// roles.

// Time to make a key and to tell the other organisations its fingerprint.
inline constexpr std::chrono::hours certificate_warning_time{60 * 24};

// "the certificate of party 1 ends on 2026-03-01 12:00:00 UTC, in 41 days"; nothing while more than
// certificate_warning_time is left. `whose` is "party 1", or "this role".
[[nodiscard]] std::optional<std::string> certificate_end(const std::string& whose, net::WallTime until,
                                                         net::WallTime now);

// `sotto doctor`: tries one role's config against the world, before a run or while its role waits.
//
// Checks what is on this machine, listens where the role would, and asks every role that listens, so that the doctors
// of all machines answer each other; a role that sets up its links answers as well and goes on. Nothing is changed
// anywhere, and no secret leaves the machine: what is told is the config of the run, to roles of the run.

struct Examination {
  // How long to try peers that do not answer, and to be there for doctors that come later.
  std::chrono::milliseconds wait{30'000};
  // Called with a line whenever something has changed.
  std::function<void(const std::string&)> progress;
  const std::atomic<bool>& interrupted;
};

// Throws Interrupted if the flag was raised; all else is a finding.
[[nodiscard]] Findings examine(const RoleSettings& config, const Examination& examination);

// Of a service, or a client of services: its key, its port, and whether the services that it connects to answer.
[[nodiscard]] Findings examine_service(const CommandSettings& settings, const Examination& examination);

}  // namespace sotto::apps
