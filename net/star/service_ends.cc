#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "net/star/service.h"

namespace sotto::net {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds linger{500};  // time for the peer to close
constexpr milliseconds look_every{100};

}  // namespace

void Service::refuse(Connection& connection, ExitCode code, const std::string& why) {
  connection.link.post(encode(CloseReason{code, why}));
  end(connection, why, close_within);
}

void Service::end(Connection& connection, const std::string& why, milliseconds within) {
  if (connection.stage != Stage::greeting && connection.stage != Stage::open) return;
  note_end(connection, why);
  connection.stage = Stage::ending;
  connection.deadline = Clock::now() + within;
  continue_closing(connection);
}

void Service::cut(Connection& connection, const std::string& why) {
  if (connection.stage == Stage::greeting || connection.stage == Stage::open) note_end(connection, why);
  connection.link.flush();  // the stream may hold an alert
  set_gone(connection);
}

void Service::note_end(Connection& connection, const std::string& why) {
  if (connection.arrived) {
    --clients_;
    leaving_.emplace_back(connection.id, why);
  } else {
    refused_.emplace_back(connection.from, why.empty() ? "it left before its greeting" : why);
  }
}

void Service::set_gone(Connection& connection) {
  if (connection.stage == Stage::gone) return;
  connection.stage = Stage::gone;
  gone_.push_back(connection.id);
}

void Service::continue_closing(Connection& connection) {
  if (connection.stage == Stage::gone) return;
  touch(connection);
  MessageLink& link = connection.link;
  link.flush();
  if (connection.stage == Stage::ending && !link.sending()) {
    link.end_writing();
    connection.stage = Stage::lingering;
    connection.deadline = Clock::now() + linger;
  }
  // Closing while the peer still sends would reset the connection. A reset could overtake the bytes that were sent.
  link.discard();
  const bool done = connection.stage == Stage::lingering && link.ended() && !link.sending();
  if (link.lost() || done) set_gone(connection);
}

void Service::look_at_deadlines() {
  const Clock::time_point now = Clock::now();
  const Clock::duration since = now - last_look_;
  if (since < look_every) return;
  last_look_ = now;
  for (const auto& [id, connection] : connections_) {
    // While the handler ran for long, the service could not read, so the clients get that time back.
    if (since > 10 * look_every) {
      connection->deadline += since;
      connection->moved_at += since;
    }
    look_at(*connection, now);
  }
}

void Service::look_at(Connection& connection, Clock::time_point now) {
  MessageLink& link = connection.link;
  if (connection.stage != Stage::open) {
    if (now >= connection.deadline) cut(connection, "it did not greet in time");
    return;
  }
  const bool due = link.sending() || link.in_message();
  if (!due || link.moved() != connection.moved) {
    connection.moved = link.moved();
    connection.moved_at = now;
  } else if (now - connection.moved_at > config_.longest_stall) {
    cut(connection,
        link.sending() ? "it takes nothing of what is sent to it" : "it stopped in the middle of a message");
  }
}

// Never drops a connection whose fingerprint is in ServiceTrust::trusted.
bool Service::make_room(const std::string& network) {
  struct Group {
    std::vector<Connection*> connections;
    std::vector<std::string_view> networks;
    void add(Connection& connection) {
      connections.push_back(&connection);
      networks.push_back(connection.network);
    }
    [[nodiscard]] bool crowds_out(std::string_view newcomer) const {
      std::unordered_map<std::string_view, std::size_t> counts;
      std::size_t most = 0;
      for (const std::string_view each : networks) most = std::max(most, ++counts[each]);
      return most >= counts[newcomer] + 2;
    }
  };
  Group silent;
  Group idle;
  Group clients;
  const Clock::time_point now = Clock::now();
  for (const auto& [id, connection] : connections_) {
    if (connection->stage == Stage::gone || connection->pinned) continue;
    if (!connection->spoke || connection->stage != Stage::open) {
      silent.add(*connection);
    } else {
      clients.add(*connection);
      if (now - connection->spoke_at >= config_.idle_for) idle.add(*connection);
    }
  }
  // A few silent clients may just have connected, so only many silent clients are dropped first.
  const bool many_silent = !silent.connections.empty() && silent.connections.size() >= most_connections_ / 4;
  const auto give_way = [&](const Group& group, const char* why) {
    cut(*group.connections[network_to_drop(group.networks)], why);
    return true;
  };
  const bool made = many_silent                 ? give_way(silent, "it said nothing before too many others came")
                    : !idle.connections.empty() ? give_way(idle, "it said nothing for long, and too many others came")
                    : clients.crowds_out(network)
                        ? give_way(clients, "too many others came, and most are from its network")
                    : !silent.connections.empty() ? give_way(silent, "it said nothing before too many others came")
                                                  : false;
  notify(*handler_);
  erase_gone();
  return made;
}

void Service::weigh(Connection& connection) {
  const std::size_t held = connection.link.held();
  if (connection.held == 0) connection.held_since = Clock::now();
  held_ += held - connection.held;
  connection.held = held;
}

void Service::relieve() {
  while (held_ > config_.most_held_bytes) {
    Connection* oldest = nullptr;
    for (const auto& [id, connection] : connections_) {
      if (connection->held == 0) continue;
      if (oldest == nullptr || connection->held_since < oldest->held_since) oldest = connection.get();
    }
    if (oldest == nullptr) return;
    cut(*oldest, "it held on to memory for longest when there was too little for all");
    if (handler_ != nullptr) notify(*handler_);
    erase_gone();
  }
}

void Service::erase_gone() {
  for (const PeerId peer : std::exchange(gone_, {})) {
    const auto found = connections_.find(peer);
    if (found == connections_.end()) continue;
    held_ -= found->second->held;
    connections_.erase(found);
  }
}

void Service::end_all(const std::optional<CloseReason>& word, milliseconds within,
                      const std::atomic<bool>& interrupted) {
  handler_ = nullptr;
  listener_.stop();
  for (const auto& [id, connection] : connections_) {
    if (connection->stage == Stage::greeting) {
      cut(*connection, "");
      continue;
    }
    if (word && connection->stage == Stage::open) connection->link.post(encode(*word));
    end(*connection, "", within);
  }
  while (!connections_.empty() && !interrupted) {
    settle_all();
    erase_gone();
    if (connections_.empty()) break;
    turn(longest_uninterrupted);
    look_at_deadlines();
  }
  connections_.clear();
  leaving_.clear();
  refused_.clear();
}

}  // namespace sotto::net
