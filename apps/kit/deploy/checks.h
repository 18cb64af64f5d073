// The checks of `sotto doctor`.
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

[[nodiscard]] Findings check_security(const Settings& config);

// Checks that the certificate is valid at `now` and for the next 60 days.
[[nodiscard]] Finding check_certificate(const net::Certificate& certificate, net::WallTime now);

// Checks that the role's key exists, has mode 0600, belongs to the certificate in [trust], and is valid for the next 60
// days. Returns no findings if insecure_plaintext is set.
[[nodiscard]] Findings check_key(const RoleSettings& config, net::WallTime now);

[[nodiscard]] Finding check_state(const std::filesystem::path& state);

[[nodiscard]] Findings check_folders(const RoleSettings& config);

// The doctor warns if two clocks differ by more than this time plus the uncertainty of the measurement.
inline constexpr std::chrono::seconds clocks_apart{5};

struct PeerSeen {
  std::string name;  // "party 1"
  NodeId id = 0;
  std::string address;
  net::Inquiry::State state = net::Inquiry::State::unreachable;
  bool resolved = true;
  std::string trouble;
  std::string fingerprint;
  std::optional<net::WallTime> valid_until{};
  bool is_next = false;
  net::Probe answer{};
  std::chrono::microseconds ahead{};
  std::chrono::microseconds uncertainty{};
};

[[nodiscard]] PeerSeen seen(const net::Inquiry& inquiry, const std::string& name);

// For a peer that was not reached, the result has one finding.
[[nodiscard]] Findings judge(const PeerSeen& peer, const net::Probe& mine, const Topology& topology);

// The time must suffice to make a new key and to send its fingerprint to all organisations.

inline constexpr std::chrono::hours certificate_warning_time{60 * 24};

// Returns nothing while more than certificate_warning_time is left.
[[nodiscard]] std::optional<std::string> certificate_end(const std::string& whose, net::WallTime until,
                                                         net::WallTime now);

// The doctor of a role checks this machine, listens on the role's address, and sends an inquiry to every role that
// listens. The doctor changes nothing on any machine. It sends only the config of the run, and only to roles of the
// run.

struct Examination {
  std::chrono::milliseconds wait{30'000};
  std::function<void(const std::string&)> progress;
  const std::atomic<bool>& interrupted;
};

// Throws Interrupted if the flag `interrupted` is set, and reports every other error as a finding.
[[nodiscard]] Findings examine(const RoleSettings& config, const Examination& examination);

[[nodiscard]] Findings examine_service(const CommandSettings& settings, const Examination& examination);

}  // namespace sotto::apps
