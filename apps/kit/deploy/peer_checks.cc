#include "sotto/apps/kit/deploy/peer_checks.h"

#include <fmt/format.h>

#include "sotto/core/text/printable.h"
#include "sotto/net/mesh/handshake/hello.h"
#include "sotto/net/mesh/peers.h"

namespace sotto::apps {
namespace {

using State = net::Inquiry::State;

Finding not_answered(const PeerSeen& peer) {
  const std::string text = fmt::format("{}: {}", peer.address, printable(peer.trouble));
  switch (peer.state) {
    case State::not_trusted:
      return problem(peer.name, ExitCode::not_trusted, text);
    case State::no_sotto:
      return problem(peer.name, ExitCode::protocol_violation, text,
                     "check the address in [peers], and what holds that port there (ss -ltnp)");
    case State::silent:
      return problem(peer.name, ExitCode::peer_lost, text,
                     "see the output of the role there; an older sotto does not know this question");
    default:
      break;
  }
  if (!peer.resolved) {
    return problem(peer.name, ExitCode::peer_lost, text,
                   "check the spelling of the name in [peers], or this machine's name server");
  }
  return problem(
      peer.name, ExitCode::peer_lost,
      fmt::format("{}: {}", peer.address, peer.trouble.empty() ? "no answer" : printable(peer.trouble)),
      "start the role or `sotto doctor` there; if one runs, check the address in [peers] and the firewalls on the way");
}

std::string seconds(std::chrono::microseconds time) {
  return fmt::format("{:.3g} s", std::chrono::duration<double>(time).count());
}

Finding clock(const PeerSeen& peer) {
  const std::chrono::microseconds apart = std::chrono::abs(peer.ahead);
  const std::string text = fmt::format("{} {} this machine's, give or take {}", seconds(apart),
                                       peer.ahead.count() < 0 ? "behind" : "ahead of", seconds(peer.uncertainty));
  if (apart > clocks_apart + peer.uncertainty) {
    return warning(peer.name + " clock", text, "set both by a time server (timedatectl)");
  }
  return good(peer.name + " clock", text);
}

Finding parameters(const PeerSeen& peer, const net::Probe& mine) {
  if (const auto differs = net::first_difference(mine.parameters, peer.answer.parameters, peer.name)) {
    return problem(peer.name + " config", ExitCode::disagreement, *differs,
                   "[run], [link] and [trust] must be the same at every role");
  }
  return good(peer.name + " config", "the same run");
}

Finding version(const PeerSeen& peer, const net::Probe& mine) {
  const std::string theirs = printable(peer.answer.software);
  if (theirs == mine.software) return good(peer.name + " version", "sotto " + theirs);
  return warning(peer.name + " version", fmt::format("sotto {} here, {} at {}", mine.software, theirs, peer.name),
                 "install the same sotto everywhere");
}

}  // namespace

PeerSeen seen(const net::Inquiry& inquiry, const std::string& name) {
  PeerSeen peer{name,
                inquiry.peer(),
                inquiry.address().text(),
                inquiry.state(),
                inquiry.resolved(),
                inquiry.trouble(),
                inquiry.fingerprint(),
                {},
                inquiry.ahead(),
                inquiry.uncertainty()};
  if (peer.state == State::answered) peer.answer = inquiry.answer();
  return peer;
}

Findings judge(const PeerSeen& peer, const net::Probe& mine, const Topology& topology) {
  if (peer.state != State::answered) return {not_answered(peer)};
  if (peer.answer.version != mine.version) {
    return {problem(peer.name + " version", ExitCode::disagreement,
                    fmt::format("wire version {} here, {} at {}", mine.version, peer.answer.version, peer.name),
                    "install the same sotto everywhere")};
  }
  if (peer.answer.sender != peer.id) {
    return {problem(peer.name, ExitCode::disagreement,
                    fmt::format("{} answers at {}", net::peer_name(topology, peer.answer.sender), peer.address),
                    "check the ids, and the addresses in [peers]")};
  }
  Findings findings;
  findings.push_back(
      good(peer.name,
           fmt::format("{} answers at {}",
                       peer.answer.what == net::Probe::What::inquirer ? "its doctor" : "it waits for its peers and",
                       peer.address)));
  if (!peer.fingerprint.empty()) {
    findings.push_back(good(peer.name + " certificate", peer.fingerprint + ", as in [trust]"));
  }
  findings.push_back(version(peer, mine));
  findings.push_back(clock(peer));
  findings.push_back(parameters(peer, mine));
  return findings;
}

}  // namespace sotto::apps
