// What a doctor can check on the role's own machine, without asking anybody, and what it makes of what it has heard of
// one peer.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "apps/kit/deploy/finding.h"
#include "apps/kit/settings/role_settings.h"
#include "net/mesh/handshake/inquiry.h"
#include "sotto/protocol/transport/tls/certificate.h"

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

}  // namespace sotto::apps
