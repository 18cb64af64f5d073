#include "net/farewell.h"

#include <algorithm>
#include <optional>

#include "core/error/errors.h"

namespace sotto::net {
namespace {

constexpr std::chrono::milliseconds grace{500};       // for a link that explains a loss
constexpr std::chrono::milliseconds last_words{300};  // to get `failed` out and read by the peer

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
      link->close();  // what it sends makes no sense, so it explains nothing
    }
  }
  return std::nullopt;
}

std::optional<Failure> look_for_cause(const std::vector<Link*>& links) {
  const Clock::time_point end = Clock::now() + grace;
  for (;;) {
    if (auto found = look_once(links)) return found;
    const Clock::time_point now = Clock::now();
    const bool all_closed =
        std::all_of(links.begin(), links.end(), [](const Link* link) { return link->closed(); });
    if (all_closed || now >= end) return std::nullopt;
    wait_any(waitables(links), end - now);
  }
}

void say_farewell(const Failure& failure, const std::vector<Link*>& links) {
  const std::vector<std::byte> payload = encode(failure);
  for (Link* link : links) link->post(FrameType::failed, failure.round, payload);
  // Reading until the peer closes keeps the system from resetting the connection, which could
  // overtake what was just sent.
  std::vector<bool> ended(links.size());
  const Clock::time_point end = Clock::now() + last_words;
  for (;;) {
    bool all_closed = true;
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (links[i]->flush() && !ended[i]) {
        links[i]->end_writing();
        ended[i] = true;
      }
    }
    look_once(links);
    for (const Link* link : links) all_closed = all_closed && link->closed();
    const Clock::time_point now = Clock::now();
    if (all_closed || now >= end) break;
    wait_any(waitables(links), end - now);
  }
  for (Link* link : links) link->close();
}

NodeId named(const std::string& name, const Topology& topology, NodeId otherwise) {
  for (NodeId id = 0; id < topology.nodes(); ++id) {
    if (peer_name(topology, id) == name) return id;
  }
  return name == peer_name(topology, dealer_id) ? dealer_id : otherwise;
}

}  // namespace

void fail_run(const std::exception_ptr& error, const Topology& topology, NodeId self,
              std::uint64_t round, const std::vector<Link*>& links) {
  Failure mine{ExitCode::internal, self, self, round, ""};
  try {
    std::rethrow_exception(error);
  } catch (const RemoteFailure& e) {
    mine = e.failure();
    say_farewell(mine, links);
    throw;
  } catch (const NetworkError& e) {
    if (auto cause = look_for_cause(links)) {
      say_farewell(*cause, links);
      throw RemoteFailure(*cause, peer_name(topology, cause->reporter));
    }
    mine = {e.exit_code(), named(e.peer(), topology, self), self, round, e.what()};
    say_farewell(mine, links);
    throw;
  } catch (const ProtocolError& e) {
    mine = {e.exit_code(), named(e.peer(), topology, self), self, round, e.what()};
    say_farewell(mine, links);
    throw;
  } catch (const TrustError& e) {
    mine = {e.exit_code(), named(e.peer(), topology, self), self, round, e.what()};
    say_farewell(mine, links);
    throw;
  } catch (const Error& e) {
    mine = {e.exit_code(), self, self, round, e.what()};
    say_farewell(mine, links);
    throw;
  } catch (const std::bad_alloc&) {
    mine = {ExitCode::local_resource, self, self, round, "out of memory"};
    say_farewell(mine, links);
    throw ResourceError("out of memory: close other programs, or run with fewer steps at once");
  } catch (...) {
    // The text of an unforeseen exception is not ours, and could hold anything.
    mine.text = peer_name(topology, self) + " met an internal error";
    say_farewell(mine, links);
    throw;
  }
}

void close_links(const std::vector<Link*>& links) noexcept {
  for (Link* link : links) link->close();
}

}  // namespace sotto::net
