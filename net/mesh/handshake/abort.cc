#include "net/mesh/handshake/abort.h"

#include <algorithm>
#include <optional>

#include "sotto/protocol/error/errors.h"

namespace sotto::net {
namespace {

constexpr std::chrono::milliseconds grace{500};         // for other links to explain a loss
constexpr std::chrono::milliseconds time_to_read{300};  // for the peer to read `failed`

std::vector<Waitable> waitables(const std::vector<Link*>& links) {
  std::vector<Waitable> result;
  for (const Link* link : links) {
    if (!link->closed() || link->sending()) result.push_back(link->wait_for(true));
  }
  return result;
}

std::optional<Failure> look_once(const std::vector<Link*>& links) {
  for (Link* link : links) {
    try {
      link->look_for_failure();
    } catch (const RemoteFailure& found) {
      return found.failure();
    } catch (const Error&) {
      link->close();  // the peer sends invalid messages
    }
  }
  return std::nullopt;
}

// A failure that this role has reported in an earlier set-up does not explain the loss of a link.
std::optional<Failure> look_for_cause(const std::vector<Link*>& links, NodeId self) {
  const Clock::time_point end = Clock::now() + grace;
  for (;;) {
    if (auto found = look_once(links)) return found->reporter == self ? std::nullopt : found;
    const Clock::time_point now = Clock::now();
    const bool all_closed = std::all_of(links.begin(), links.end(), [](const Link* link) { return link->closed(); });
    if (all_closed || now >= end) return std::nullopt;
    wait_any(waitables(links), end - now);
  }
}

void send_notices(const Failure& failure, const std::vector<Link*>& links) {
  std::vector<AbortNotice> words;
  words.reserve(links.size());
  for (Link* link : links) words.emplace_back(*link, failure);
  const Clock::time_point end = Clock::now() + time_to_read;
  for (;;) {
    for (AbortNotice& each : words) each.make_progress();
    const bool all_closed = std::all_of(links.begin(), links.end(), [](const Link* link) { return link->closed(); });
    const Clock::time_point now = Clock::now();
    if (all_closed || now >= end) break;
    wait_any(waitables(links), end - now);
  }
  for (Link* link : links) link->close();
}

}  // namespace

AbortNotice::AbortNotice(Link& link, const Failure& failure) : link_(&link) {
  link_->post(FrameType::failed, failure.round, encode(failure));
}

void AbortNotice::make_progress() {
  if (link_->flush() && !ended_) {
    if (!link_->write_lost()) read_by_ = Clock::now() + time_to_read;
    link_->end_writing();
    ended_ = true;
  }
  (void)look_once({link_});
}

bool AbortNotice::received() const {
  return link_->told_failure() || (read_by_ && (link_->closed() || Clock::now() >= *read_by_));
}

void fail_run(const std::exception_ptr& error, const Topology& topology, NodeId self, std::uint64_t round,
              const std::vector<Link*>& links) {
  const auto report = [&](ExitCode code, NodeId culprit, const std::string& text) {
    send_notices({code, culprit, self, round, text}, links);
  };
  const auto tell_of_peer = [&](const auto& e) {
    report(e.exit_code(), peer_of_name(topology, e.peer(), self), e.what());
  };
  try {
    std::rethrow_exception(error);
  } catch (const RemoteFailure& e) {
    send_notices(e.failure(), links);
    throw;
  } catch (const NetworkError& e) {
    if (auto cause = look_for_cause(links, self)) {
      send_notices(*cause, links);
      throw RemoteFailure(*cause, peer_name(topology, cause->reporter));
    }
    tell_of_peer(e);
    throw;
  } catch (const ProtocolError& e) {
    tell_of_peer(e);
    throw;
  } catch (const TrustError& e) {
    tell_of_peer(e);
    throw;
  } catch (const Error& e) {
    report(e.exit_code(), self, e.what());
    throw;
  } catch (const std::bad_alloc&) {
    report(ExitCode::local_resource, self, "out of memory");
    throw ResourceError("out of memory: close other programs, or run with fewer steps at once");
  } catch (...) {
    // The text of an unforeseen exception could contain anything, so peers do not receive it.
    report(ExitCode::internal, self, peer_name(topology, self) + " met an internal error");
    throw;
  }
}

void close_links(const std::vector<Link*>& links) noexcept {
  for (Link* link : links) link->close();
}

}  // namespace sotto::net
