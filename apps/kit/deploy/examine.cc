#include "apps/kit/deploy/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "apps/kit/deploy/role_mesh.h"
#include "net/mesh/handshake/inquiry.h"
#include "net/mesh/handshake/pending_connections.h"
#include "net/star/client.h"
#include "net/star/service.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/mesh/peers.h"
#include "sotto/protocol/transport/tls/identity.h"

namespace sotto::apps {
namespace {

using net::Clock;
using State = net::Inquiry::State;

// If this doctor and the doctor of a peer do not trust each other, this doctor stays for this time.
constexpr std::chrono::seconds stay{5};

net::Probe own_probe(const net::MeshConfig& mesh, net::Probe::What what) {
  net::Probe probe;
  probe.sender = mesh.self;
  probe.what = what;
  probe.software = mesh.software;
  probe.parameters = mesh.parameters;
  probe.announcement = mesh.announcement;
  return probe;
}

// The text is empty if the role's data cannot be read, which another check reports.
std::string own_announcement(const RoleSettings& config) {
  try {
    return config.announcement();
  } catch (const Error&) {
    return {};
  }
}

net::Address reachable(const net::Address& bound) {
  if (bound.host == "0.0.0.0") return {"127.0.0.1", bound.port};
  if (bound.host == "::") return {"::1", bound.port};
  return bound;
}

class Consultation {
 public:
  Consultation(net::MeshConfig mesh, const Examination& examination)
      : mesh_(std::move(mesh)),
        examination_(examination),
        pending_(io_, mesh_, {}, own_probe(mesh_, net::Probe::What::inquirer)) {
    for (const NodeId peer : net::peers_of(mesh_.topology, mesh_.self)) {
      if (net::listens(mesh_.topology, peer)) inquiries_.emplace_back(io_, mesh_, peer, question());
    }
    reported_.resize(inquiries_.size());
  }

  void listen_on(const std::optional<net::Address>& address, Findings& findings);
  void run();
  void report(Findings& findings) const;
  [[nodiscard]] std::map<NodeId, std::string> announcements() const;

 private:
  [[nodiscard]] net::Probe question() const { return own_probe(mesh_, net::Probe::What::inquiry); }
  void answer_others();
  void report(Clock::time_point end);
  [[nodiscard]] bool all_done() const;
  [[nodiscard]] bool complete() const;
  void report_own_port(Findings& findings) const;
  [[nodiscard]] std::string name(NodeId role) const { return net::peer_name(mesh_.topology, role); }

  net::Io io_;
  net::MeshConfig mesh_;
  const Examination& examination_;
  net::PendingConnections pending_;
  std::vector<net::Inquiry> inquiries_;
  std::vector<std::string> reported_;
  // An inquiry to another process that listens on the role's own port; empty if there is no such process.
  std::optional<net::Inquiry> own_;
  std::string taken_;
  bool said_that_it_stays_ = false;
  std::optional<Clock::time_point> all_done_at_;
};

void Consultation::listen_on(const std::optional<net::Address>& address, Findings& findings) {
  if (!address) return;
  try {
    mesh_.listener.emplace(*address);
    mesh_.listener->accept_on(io_, [this](auto accepted, const std::string& failure) {
      pending_.add_accepted(std::move(accepted), failure);
    });
    findings.push_back(good("listen", fmt::format("{} is free", address->text())));
  } catch (const ResourceError& error) {
    taken_ = error.what();
    mesh_.addresses[mesh_.self] = reachable(*address);
    own_.emplace(io_, mesh_, mesh_.self, question());
  } catch (const Error& error) {
    findings.push_back(problem("listen", error.exit_code(), error.what()));
  }
}

void Consultation::run() {
  const Clock::time_point end = Clock::now() + examination_.wait;
  for (;;) {
    if (examination_.interrupted.load()) throw Interrupted();
    answer_others();
    for (net::Inquiry& inquiry : inquiries_) inquiry.make_progress();
    if (own_) own_->make_progress();
    report(end);
    const Clock::time_point now = Clock::now();
    if (!all_done_at_ && all_done()) all_done_at_ = now;
    if (complete() || now >= end) return;
    // A signal that comes just before a wait does not end the wait, so each wait is short.
    io_.run_for(std::min<Clock::duration>(end - now, std::chrono::milliseconds(100)));
  }
}

void Consultation::answer_others() {
  std::vector<net::Disconnected> none;
  // The doctor drops each peer that wants to start the run. The peer will connect again once the real role runs.
  while (pending_.receive(none)) continue;
}

void Consultation::report(Clock::time_point end) {
  if (!examination_.progress) return;
  const auto left = std::chrono::duration_cast<std::chrono::seconds>(end - Clock::now()).count();
  for (std::size_t i = 0; i < inquiries_.size(); ++i) {
    const net::Inquiry& inquiry = inquiries_[i];
    const std::string word = inquiry.state() == State::answered ? "answers" : inquiry.trouble();
    if (word.empty() || word == reported_[i]) continue;
    reported_[i] = word;
    examination_.progress(
        fmt::format("{} at {}: {}{}", name(inquiry.peer()), inquiry.address().text(), word,
                    inquiry.done() ? "" : fmt::format(", trying for {} s more", std::max<long>(left, 0))));
  }
  if (all_done() && !complete() && !said_that_it_stays_) {
    said_that_it_stays_ = true;
    examination_.progress(fmt::format("stays for {} s, for the doctors of the others", std::max<long>(left, 0)));
  }
}

bool Consultation::all_done() const {
  return std::all_of(inquiries_.begin(), inquiries_.end(), [](const net::Inquiry& inquiry) { return inquiry.done(); });
}

// Returns true if this doctor may end. A role that waits for its peers needs no answer from this doctor, but the doctor
// of another role does.
bool Consultation::complete() const {
  if (own_ && !own_->done()) return false;
  if (!all_done()) return false;
  // If two doctors do not trust each other, neither knows whether the other has asked. This doctor therefore stays for
  // a while, so the other doctor also finds that the two do not trust each other.
  const bool distrust = std::any_of(inquiries_.begin(), inquiries_.end(),
                                    [](const auto& inquiry) { return inquiry.state() == State::not_trusted; });
  if (distrust && mesh_.listener && (!all_done_at_ || Clock::now() - *all_done_at_ < stay)) {
    return false;
  }
  std::set<NodeId> may_ask;
  for (const NodeId peer : net::peers_of(mesh_.topology, mesh_.self)) may_ask.insert(peer);
  bool among_doctors = inquiries_.empty();
  for (const net::Inquiry& inquiry : inquiries_) {
    const bool is_doctor = inquiry.state() == State::answered && inquiry.answer().what == net::Probe::What::inquirer;
    among_doctors = among_doctors || is_doctor;
    if (!is_doctor) may_ask.erase(inquiry.peer());
  }
  if (!among_doctors || !mesh_.listener) return true;
  return std::all_of(may_ask.begin(), may_ask.end(),
                     [this](NodeId peer) { return pending_.asked_by().count(peer) > 0; });
}

void Consultation::report(Findings& findings) const {
  if (own_) report_own_port(findings);
  const net::Probe mine = question();
  for (const net::Inquiry& inquiry : inquiries_) {
    for (Finding& finding : judge(seen(inquiry, name(inquiry.peer())), mine, mesh_.topology)) {
      findings.push_back(std::move(finding));
    }
  }
  for (const NodeId peer : net::peers_of(mesh_.topology, mesh_.self)) {
    if (net::listens(mesh_.topology, peer)) continue;
    findings.push_back(pending_.asked_by().count(peer) > 0 ? good(name(peer), "its doctor reaches this one")
                                                           : note(name(peer), "it only connects, and cannot be asked",
                                                                  "run `sotto doctor` on its machine"));
  }
}

std::map<NodeId, std::string> Consultation::announcements() const {
  std::map<NodeId, std::string> result;
  if (net::announces(mesh_.topology, mesh_.self)) result[mesh_.self] = mesh_.announcement;
  for (const net::Inquiry& inquiry : inquiries_) {
    if (inquiry.state() != State::answered) continue;
    const net::Probe& answer = inquiry.answer();
    if (answer.version == net::wire_version && answer.sender == inquiry.peer()) {
      result[inquiry.peer()] = answer.announcement;
    }
  }
  return result;
}

// The process that listens on the port may be the role itself.
void Consultation::report_own_port(Findings& findings) const {
  const bool shows_own =
      net::Pins(mesh_.certificates, mesh_.next_certificates).owner_of(own_->fingerprint()) == mesh_.self;
  const bool says_own = own_->state() == State::answered && own_->answer().sender == mesh_.self;
  if (shows_own || says_own) {
    findings.push_back(
        good("listen", fmt::format("{} is held by this very role, which waits for its peers", own_->address().text())));
  } else {
    findings.push_back(problem("listen", ExitCode::local_resource, taken_));
  }
}

template <class Try>
Finding tried(const std::string& subject, Try act) {
  try {
    return act();
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    return problem(subject, error.exit_code(), error.what());
  }
}

Finding service_key(const KeyArguments& key) {
  if (key.key.empty()) {
    return note("key", "none is given", "a service needs one; a client shows one that it makes and forgets");
  }
  return tried("key", [&] {
    return check_certificate(net::Identity::read(key.key).certificate(), std::chrono::system_clock::now());
  });
}

Finding own_port(const CommandRole& role) {
  ListenArguments arguments = *role.listen;
  if (arguments.listen.empty()) return note("listen", "no address is given", "give --listen unless it hears nobody");
  return tried("listen", [&] {
    (void)service_config(arguments, {{}, role.key->plaintext}, role.table);
    arguments.trust.clear();
    const net::Service service(service_config(arguments, {{}, true}, role.table));
    return good("listen", fmt::format("{} is free", service.address().text()));
  });
}

Finding reached(const ConnectArguments& arguments, const char* name, const KeyArguments& key,
                const Examination& examination) {
  if (arguments.connect.empty()) {
    return note(name, "no address is given", fmt::format("give {} if the role needs it", arguments.connect_flag));
  }
  return tried(name, [&] {
    net::ClientConfig config = client_config(arguments, key, name);
    config.retry_for = examination.wait;
    net::ServiceClient client(std::move(config));
    client.connect(examination.interrupted);
    (void)client.finish(net::Clock::now() + std::chrono::seconds(1), examination.interrupted);
    return good(name, fmt::format("{} answers", arguments.connect));
  });
}

}  // namespace

Findings examine(const RoleSettings& config, const Examination& examination) {
  Findings findings = check_security(config);
  const auto add = [&](Findings more) {
    for (Finding& finding : more) findings.push_back(std::move(finding));
  };
  add(check_key(config, std::chrono::system_clock::now()));
  add(config.check_files());
  add(check_folders(config));
  std::optional<Consultation> consultation;
  try {
    net::MeshConfig mesh = mesh_config(config);
    mesh.announcement = own_announcement(config);
    consultation.emplace(std::move(mesh), examination);
    consultation->listen_on(listen_address(config), findings);
  } catch (const Error& error) {
    if (exit_code(findings) == ExitCode::done) {
      add({problem("links", error.exit_code(), error.what())});
    }
    add({note("peers", "they were not asked", "mend this role's key and config first")});
    return findings;
  }
  consultation->run();
  consultation->report(findings);
  add(config.check_announcements(consultation->announcements()));
  return findings;
}

Findings examine_service(const CommandSettings& settings, const Examination& examination) {
  const CommandRole& role = *settings.command().role();
  Findings findings = check_security(settings);
  if (!role.key->plaintext) findings.push_back(service_key(*role.key));
  if (role.listen != nullptr) findings.push_back(own_port(role));
  for (const auto& [arguments, name] : role.services) {
    findings.push_back(reached(*arguments, name, *role.key, examination));
  }
  return findings;
}

}  // namespace sotto::apps
