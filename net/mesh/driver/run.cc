#include "sotto/net/mesh/driver/run.h"

#include <fmt/format.h>

#include <ctime>
#include <optional>
#include <utility>

#include "sotto/core/error/errors.h"
#include "sotto/net/mesh/abort.h"
#include "sotto/net/mesh/driver/chunk_intake.h"
#include "sotto/net/mesh/driver/watch.h"

namespace sotto::net {
namespace {

double seconds_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Runs `body`, and where it throws ends the run at all peers.
template <class Body>
auto guarded(Mesh& mesh, Rounds* rounds, Body body) {
  try {
    return body();
  } catch (...) {
    if (rounds != nullptr) rounds->abandon();
    std::vector<Link*> links;
    for (const auto& link : mesh.links()) links.push_back(link.get());
    fail_run(std::current_exception(), mesh.topology(), mesh.self(), rounds == nullptr ? 0 : rounds->round(), links);
  }
}

// Writes what the links take; those that have more to send.
LinkSet flushed(const Mesh& mesh) {
  return links_that(mesh, [](Link& link) { return !link.flush(); });
}

// Sends a control frame to all links in `peers` and waits until heard() is true of all of them.
template <class Heard>
void meet(Mesh& mesh, Watch& watch, std::uint64_t round, FrameType type, LinkSet peers, Heard heard) {
  const auto& links = mesh.links();
  for (std::size_t i = 0; i < links.size(); ++i) {
    if ((peers & bit(i)) != 0) links[i]->post(type, round, {});
  }
  watch.until(round, [&](bool) {
    LinkSet awaited = 0;
    for (std::size_t i = 0; i < links.size(); ++i) {
      if ((peers & bit(i)) == 0) continue;
      Link& link = *links[i];
      const bool data = link.next().has_value();
      if (!heard(link, data)) {
        if (link.closed()) watch.lost(link, round);
        awaited |= bit(i);
      }
      if (!link.flush()) awaited |= bit(i);
    }
    return awaited;
  });
}

// Ends the run once all have ended theirs.
void finish(Mesh& mesh, Watch& watch, std::uint64_t round) {
  const LinkSet all = links_that(mesh, [](const Link&) { return true; });
  meet(mesh, watch, round, FrameType::finish, all, [&](const Link& link, bool data) {
    if (!data) return link.finished();
    throw ProtocolError(
        ProtocolError::Kind::unexpected, link.name(), round,
        fmt::format("{} goes on after the program's last round {}: it runs another program or another version",
                    link.name(), round));
  });
  for (const auto& link : mesh.links()) link->close();
}

class NodeRun {
 public:
  NodeRun(Rounds& rounds, Mesh& mesh, ChunkReader* chunks, const DriverOptions& options)
      : rounds_(rounds), mesh_(mesh), chunks_(chunks), options_(options), watch_(mesh, options) {
    const Topology& topology = mesh.topology();
    if ((chunks_ != nullptr) != (topology.has_dealer() && mesh.self() == topology.last_party())) {
      throw std::invalid_argument("the last party, and no other, reads chunks");
    }
    if (chunks_ != nullptr) intake_.emplace(mesh, watch_, options);
    rounds_.bind_to(epoch_digest(mesh.session(), options.epoch));
  }

  NodeStatistics run() {
    const Clock::time_point begin = Clock::now();
    set_up();
    const Clock::time_point start = Clock::now();
    while (next_round()) {
      exchange();
      rounds_.scatter();
      watch_.pass(rounds_.round());
    }
    const Clock::time_point end = Clock::now();
    statistics_.set_up_seconds = seconds_between(begin, start);
    statistics_.seconds = seconds_between(start, end);
    statistics_.rounds = rounds_.round();
    if (intake_) statistics_.dealt_bytes = intake_->bytes();
    for (const auto& link : mesh_.links()) {
      if (link->peer() == dealer_id) continue;
      statistics_.bytes_sent[link->peer()] = link->data_bytes_sent();
      statistics_.frames_sent += link->data_frames_sent();
    }
    finish(mesh_, watch_, rounds_.round());
    return statistics_;
  }

 private:
  void set_up() {
    if (intake_ && options_.deal_ahead) intake_->take_all();
    const LinkSet nodes = links_that(mesh_, [](const Link& link) { return link.peer() != dealer_id; });
    meet(mesh_, watch_, 0, FrameType::ready, nodes, [](const Link& link, bool) { return link.ready(); });
  }

  bool next_round() {
    if (!intake_) return rounds_.gather();
    const std::uint64_t number = rounds_.round();
    chunks_->load_chunk(number, intake_->take(number, statistics_.seconds_waiting_for_dealer));
    const bool more = rounds_.gather();
    chunks_->finish_chunk();
    intake_->release();
    return more;
  }

  void exchange() {
    const auto& links = mesh_.links();
    LinkSet due = 0;
    for (std::size_t i = 0; i < links.size(); ++i) {
      const NodeId peer = links[i]->peer();
      if (peer == dealer_id) continue;
      if (!rounds_.frame_to(peer).empty()) links[i]->send({}, rounds_.frame_to(peer));
      if (rounds_.expected_from(peer) > 0) due |= bit(i);
    }
    bool first_try = true;
    statistics_.seconds_waiting_for_peers += watch_.until(rounds_.round(), [&](bool thorough) {
      const LinkSet unsent = flushed(mesh_);
      if (intake_ && std::exchange(first_try, false)) intake_->bring_near(rounds_.round() + 1);
      for (std::size_t i = 0; i < links.size(); ++i) {
        if ((due & bit(i)) == 0) continue;
        if (receive_from(*links[i])) {
          due &= static_cast<LinkSet>(~bit(i));
        } else if (unsent == 0 && !thorough) {
          break;
        }
      }
      return static_cast<LinkSet>(unsent | due);
    });
  }

  bool receive_from(Link& link) {
    const auto header = link.next();
    if (header) {
      rounds_.check_header(link.peer(), *header);
      if (link.receive(header->length)) {
        rounds_.accept(link.peer(), link.payload(header->length));
        link.consume(header->length);
        return true;
      }
    } else if (link.finished()) {
      throw ProtocolError(ProtocolError::Kind::truncated, link.name(), rounds_.round(),
                          fmt::format("{} finished before round {}: it runs another program or another version",
                                      link.name(), rounds_.round()));
    }
    if (link.closed()) watch_.lost(link, rounds_.round());
    if (!header) watch_.check_not_passed(link, rounds_.round());
    return false;
  }

  Rounds& rounds_;
  Mesh& mesh_;
  ChunkReader* chunks_;
  DriverOptions options_;
  Watch watch_;
  std::optional<ChunkIntake> intake_;
  NodeStatistics statistics_;
};

// Waits until everything is out on the links of `mesh`.
void flush_all(Mesh& mesh, Watch& watch, std::uint64_t round) {
  watch.until(round, [&](bool) { return flushed(mesh); });
}

class DealerRun {
 public:
  DealerRun(Rounds& rounds, ChunkWriter& chunks, Mesh& mesh, const DriverOptions& options)
      : rounds_(rounds),
        chunks_(chunks),
        mesh_(mesh),
        watch_(mesh, options),
        epoch_(epoch_digest(mesh.session(), options.epoch)) {}

  DealerStatistics run() {
    DealerStatistics statistics;
    const Clock::time_point begin = Clock::now();
    const double cpu_begin = thread_cpu_seconds();
    for (bool more = true; more;) {
      more = rounds_.gather();
      chunk_ = chunks_.take_chunk();
      statistics.dealt_bytes += FrameHeader::size + chunk_.size();
      send_chunk();
      chunks_.give_back(std::move(chunk_));
      if (more) rounds_.scatter();
      watch_.pass(rounds_.round());
    }
    statistics.rounds = rounds_.round();
    statistics.cpu_seconds = thread_cpu_seconds() - cpu_begin;
    statistics.seconds = seconds_between(begin, Clock::now());
    finish(mesh_, watch_, rounds_.round());
    return statistics;
  }

 private:
  void send_chunk() {
    if (chunk_.size() > UINT32_MAX) throw std::invalid_argument("a chunk of more than 4 GiB: split the round");
    std::array<std::byte, FrameHeader::size> head{};
    write_header(FrameHeader{static_cast<std::uint32_t>(chunk_.size()), FrameType::chunk, rounds_.round(), epoch_},
                 head);
    mesh_.link(mesh_.topology().last_party()).send(head, chunk_);
    flush_all(mesh_, watch_, rounds_.round());
  }

  Rounds& rounds_;
  ChunkWriter& chunks_;
  Mesh& mesh_;
  Watch watch_;
  std::uint64_t epoch_;
  Bytes chunk_;  // a member, since a link may still send it when the run has failed
};

}  // namespace

NodeStatistics run_node(Rounds& rounds, Mesh& mesh, ChunkReader* chunks, const DriverOptions& options) {
  std::optional<NodeRun> run;
  return guarded(mesh, &rounds, [&] { return run.emplace(rounds, mesh, chunks, options).run(); });
}

DealerStatistics run_dealer(Rounds& rounds, ChunkWriter& chunks, Mesh& mesh, const DriverOptions& options) {
  std::optional<DealerRun> run;
  return guarded(mesh, &rounds, [&] { return run.emplace(rounds, chunks, mesh, options).run(); });
}

void send_seeds(Mesh& mesh, std::span<const Seed> seeds_by_node, const DriverOptions& options) {
  if (seeds_by_node.size() != mesh.topology().nodes()) throw std::invalid_argument("one seed a node is due");
  guarded(mesh, nullptr, [&] {
    for (NodeId node = 0; node < seeds_by_node.size(); ++node) {
      mesh.link(node).post(FrameType::seed, 0, seeds_by_node[node].expose());
    }
    Watch watch(mesh, options);
    flush_all(mesh, watch, 0);
  });
}

Seed receive_seed(Mesh& mesh, const DriverOptions& options) {
  return guarded(mesh, nullptr, [&] {
    Link& dealer = mesh.link(dealer_id);
    Watch watch(mesh, options);
    const LinkSet awaited = bit_of_dealer(mesh);
    watch.until(0, [&](bool) -> LinkSet {
      const auto header = dealer.next();
      if (header && (header->type != FrameType::seed || header->length != Seed::size)) {
        throw ProtocolError(ProtocolError::Kind::unexpected, dealer.name(), 0,
                            "the dealer sent another frame where the seed was due");
      }
      if (header && dealer.receive(Seed::size)) return 0;
      if (dealer.closed()) watch.lost(dealer, 0);
      return awaited;
    });
    Seed seed = Seed::from_bytes(dealer.payload(Seed::size).first<Seed::size>());
    dealer.wipe(Seed::size);
    return seed;
  });
}

void fail_run(const std::exception_ptr& error, Mesh& mesh) {
  guarded(mesh, nullptr, [&] { std::rethrow_exception(error); });
  throw std::logic_error("fail_run returned");
}

}  // namespace sotto::net
