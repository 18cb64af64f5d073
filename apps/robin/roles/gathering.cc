#include "apps/robin/roles/gathering.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/text/count.h"

namespace sotto::apps::robin {
namespace {

RobinFailed disagree(std::string text) { return {ExitCode::disagreement, std::move(text)}; }

class Missing {
 public:
  void add(std::uint64_t first, std::uint64_t count) {
    if (count == 0) return;
    if (clients_ == 0) first_ = first;
    clients_ += count;
  }
  [[nodiscard]] std::string text() const {
    if (clients_ == 0) return {};
    if (clients_ == 1) return clients_text(first_, 1);
    return fmt::format("client {} and {} more", first_, clients_ - 1);
  }

 private:
  std::uint64_t first_ = 0;
  std::uint64_t clients_ = 0;
};

}  // namespace

Gathering::Gathering(const GatheringShape& shape) : shape_(shape) {
  if (shape.clients == 0 || shape.dimension == 0 || shape.most_a_peer == 0) {
    throw std::invalid_argument("a gathering of nobody or of nothing");
  }
}

std::optional<RobinFailed> Gathering::join(Peer peer, const std::string& fingerprint, const RobinJoin& join) {
  if (knows(peer)) {
    return RobinFailed{ExitCode::protocol_violation, fmt::format("{} joined twice on one connection", name(peer))};
  }
  if (auto refused = shape_refusal(join)) return refused;
  if (auto refused = identity_refusal(fingerprint, join)) return refused;
  members_.emplace(peer, Member{join, fingerprint, false});
  joined_ += join.count;
  return std::nullopt;
}

std::optional<RobinFailed> Gathering::shape_refusal(const RobinJoin& join) const {
  const std::string who = clients_text(join.first, join.count);
  if (join.count > shape_.most_a_peer) {
    return disagree(fmt::format("{}: a process may play {} of this run; start one process a client", who,
                                counted(shape_.most_a_peer, "client")));
  }
  if (join.first + join.count > shape_.clients) {
    return disagree(fmt::format("{}: the run has clients 0 to {}; give another --number", who, shape_.clients - 1));
  }
  if (shape_.epsilon > join.most_epsilon || shape_.delta > join.most_delta) {
    return disagree(
        fmt::format("{} accepts at most --eps {:g} and --delta {:g}, but the run promises epsilon {:g} and delta {:g}",
                    who, join.most_epsilon, join.most_delta, shape_.epsilon, shape_.delta));
  }
  if (join.simulated() != shape_.simulated) {
    return disagree(
        shape_.simulated
            ? fmt::format("{} brings a file, but the clients of this run are simulated; start it with --simulated", who)
            : fmt::format("{} is simulated, but the clients of this run bring data; give it --client FILE", who));
  }
  if (join.simulated()) return std::nullopt;
  if (join.dimension != shape_.dimension || join.arms != shape_.arms) {
    return disagree(fmt::format("the file of {} has {} and {}, but the run has {} and {}: all clients need the same",
                                who, counted(join.dimension, "feature"), counted(join.arms, "arm"), shape_.dimension,
                                shape_.arms));
  }
  if (join.steps < shape_.steps) {
    return disagree(fmt::format(
        "the file of {} has {}, but the run plays {}: a longer file, or a smaller --horizon at the aggregator", who,
        counted(join.steps, "step"), shape_.steps));
  }
  for (const auto& [peer, member] : members_) {
    if (member.join.columns == join.columns) continue;
    return disagree(
        fmt::format("the features in the file of {} have other names than those of {}, or stand in another order: all "
                    "clients need the same columns",
                    who, name(peer)));
  }
  return std::nullopt;
}

std::optional<RobinFailed> Gathering::identity_refusal(const std::string& fingerprint, const RobinJoin& join) const {
  for (const auto& [peer, member] : members_) {
    if (join.first < member.join.first + member.join.count && member.join.first < join.first + join.count) {
      return disagree(fmt::format("{} has joined already: each client needs a --number of its own",
                                  clients_text(std::max(join.first, member.join.first), 1)));
    }
    if (!fingerprint.empty() && fingerprint == member.fingerprint) {
      return disagree(
          fmt::format("{} shows the certificate of {}, which has joined: each client needs a key of its own",
                      clients_text(join.first, join.count), name(peer)));
    }
  }
  return std::nullopt;
}

bool Gathering::leave(Peer peer) {
  const auto found = members_.find(peer);
  if (found == members_.end()) return false;
  joined_ -= found->second.join.count;
  if (found->second.reported) --reported_;
  members_.erase(found);
  return true;
}

void Gathering::begin(std::uint64_t release) {
  release_ = release;
  reported_ = 0;
  for (auto& [peer, member] : members_) member.reported = false;
  estimates_.assign(shape_.clients * shape_.dimension, 0.0);
}

void Gathering::add(Peer peer, const RobinEstimates& estimates) {
  const auto found = members_.find(peer);
  const auto fail = [&](ProtocolError::Kind kind, const std::string& what) {
    const std::string who = found == members_.end() ? std::string("a stranger") : name(peer);
    return ProtocolError(kind, who, release_, fmt::format("{} {}", who, what));
  };
  if (found == members_.end() || estimates_.empty()) {
    throw fail(ProtocolError::Kind::unexpected, "sent estimates that nobody waits for");
  }
  Member& member = found->second;
  if (estimates.release != release_) {
    throw fail(ProtocolError::Kind::wrong_round,
               fmt::format("sent estimates of release {}, not {}", estimates.release + 1, release_ + 1));
  }
  if (member.reported) {
    throw fail(ProtocolError::Kind::unexpected, fmt::format("sent its estimates of release {} twice", release_ + 1));
  }
  const std::size_t expected = member.join.count * shape_.dimension;
  if (estimates.values.size() != expected) {
    throw fail(estimates.values.size() < expected ? ProtocolError::Kind::truncated : ProtocolError::Kind::oversized,
               fmt::format("sent {} for release {}, not {}: its estimates have another dimension",
                           counted(estimates.values.size(), "number"), release_ + 1, expected));
  }
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (!std::all_of(estimates.values.begin(), estimates.values.end(), is_finite)) {
    throw fail(ProtocolError::Kind::malformed,
               fmt::format("sent an estimate that is no finite number for release {}", release_ + 1));
  }
  std::copy(estimates.values.begin(), estimates.values.end(),
            estimates_.begin() + static_cast<std::ptrdiff_t>(member.join.first * shape_.dimension));
  member.reported = true;
  ++reported_;
}

std::vector<Gathering::Peer> Gathering::peers() const {
  std::vector<Peer> peers;
  for (const auto& [peer, member] : members_) peers.push_back(peer);
  return peers;
}

std::string Gathering::name(Peer peer) const {
  const Member& member = members_.at(peer);
  return clients_text(member.join.first, member.join.count);
}

std::string Gathering::not_joined() const {
  std::map<std::uint64_t, std::uint64_t> ranges;
  for (const auto& [peer, member] : members_) ranges[member.join.first] = member.join.count;
  Missing missing;
  std::uint64_t next = 0;
  for (const auto& [first, count] : ranges) {
    missing.add(next, first - next);
    next = first + count;
  }
  missing.add(next, shape_.clients - next);
  return missing.text();
}

std::string Gathering::not_reported() const {
  std::map<std::uint64_t, std::uint64_t> ranges;
  for (const auto& [peer, member] : members_) {
    if (!member.reported) ranges[member.join.first] = member.join.count;
  }
  Missing missing;
  for (const auto& [first, count] : ranges) missing.add(first, count);
  return missing.text();
}

}  // namespace sotto::apps::robin
