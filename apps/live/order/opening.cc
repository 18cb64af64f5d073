#include "apps/live/order/opening.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/peers.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps::live {
namespace {

using Standings = std::map<NodeId, LiveHistory>;

constexpr const char* refused = "the service does not open, and nothing was changed";

std::string brief(const bandit::CheckpointId& id) { return hex(std::span(id).first(4)); }

std::string text_of(const OrderMark& mark) {
  // The rewarder's marks have no ids.
  if (mark.id == bandit::CheckpointId{}) return fmt::format("number {}", mark.number);
  return fmt::format("number {} ({})", mark.number, brief(mark.id));
}

class Opening {
 public:
  Opening(const Topology& topology, const Standings& histories)
      : topology_(topology), histories_(histories), keepers_(keepers_of(topology)), witness_(witness_of(topology)) {
    for (const NodeId node : keepers_) check_history(node, true);
    if (witness_) check_history(*witness_, false);
  }

  [[nodiscard]] LiveOpening agree() {
    const std::uint32_t epoch = next_epoch();
    if (const std::optional<OrderEntry> recovery = agree_on_recovery(topology_, histories_)) {
      return LiveOpening{epoch, recovery->number, recovery_id(*recovery, epoch), recovery};
    }
    check_epochs();
    common_ = newest_common();
    check_floor();
    check_actor();
    if (topology_.has_further_node()) check_rewarder();
    if (witness_) check_witness();
    return LiveOpening{epoch, common_.number, common_.id, {}};
  }

 private:
  [[nodiscard]] const LiveHistory& of(NodeId role) const { return histories_.at(role); }
  [[nodiscard]] const OrderMark& last(NodeId node) const { return of(node).marks.back(); }
  [[nodiscard]] std::string name(NodeId role) const { return net::peer_name(topology_, role); }

  void check_history(NodeId role, bool keeps_order) const {
    const auto found = histories_.find(role);
    if (found == histories_.end() || found->second.keeps_order != keeps_order ||
        found->second.marks.empty() == keeps_order) {
      throw std::invalid_argument("the history of a role is missing or of another kind");
    }
  }

  [[nodiscard]] std::uint32_t next_epoch() const {
    std::uint32_t highest = 0;
    for (const auto& [role, history] : histories_) {
      if (history.epoch == std::numeric_limits<std::uint32_t>::max()) {
        throw DisagreementError(fmt::format("{} has opened epoch {}, the last possible one: begin a new service",
                                            name(role), history.epoch));
      }
      highest = std::max(highest, history.epoch);
    }
    return highest + 1;
  }

  // Every role must have opened each epoch in which another role has done an entry, because an epoch always opens for
  // all roles.
  void check_epochs() const {
    for (const NodeId witness : keepers_) {
      for (const NodeId node : keepers_) {
        if (of(node).epoch >= last(witness).epoch) continue;
        throw DisagreementError(fmt::format(
            "the store of {} is an old copy. Its last opened epoch is {}, and {} has done {} in epoch {}; {}; bring "
            "back the newest store of {}, or recover from a lost one (docs/guides/live.md)",
            name(node), of(node).epoch, name(witness), text_of(last(witness)), last(witness).epoch, refused,
            name(node)));
      }
    }
  }

  [[nodiscard]] const OrderMark* find(NodeId node, const OrderMark& mark) const {
    for (const OrderMark& own : of(node).marks) {
      if (own == mark) return &own;
    }
    return nullptr;
  }

  [[nodiscard]] OrderMark newest_common() const {
    const auto& offered = of(0).marks;
    for (auto mark = offered.rbegin(); mark != offered.rend(); ++mark) {
      bool common = true;
      for (NodeId party = 1; party < topology_.parties(); ++party) common = common && find(party, *mark) != nullptr;
      if (common) return *mark;
    }
    refuse_parties();
  }

  [[noreturn]] void refuse_parties() const {
    NodeId low = 0;
    NodeId high = 0;
    for (NodeId party = 1; party < topology_.parties(); ++party) {
      if (last(party).number < last(low).number) low = party;
      if (last(party).number >= last(high).number && last(party) != last(low)) high = party;
    }
    throw DisagreementError(fmt::format(
        "the stores of {} and {} share no number: {} is at {}, {} at {}; {}; bring back each party's newest store, or "
        "go back to a snapshot (docs/guides/live.md)",
        name(low), name(high), name(low), text_of(last(low)), name(high), text_of(last(high)), refused));
  }

  // Only the last entry of a party may be unsettled.
  void check_floor() const {
    for (NodeId party = 0; party < topology_.parties(); ++party) {
      if (last(party).number > common_.number + 1) refuse_parties();
    }
  }

  [[nodiscard]] bool fits(const OrderMark& mark, bool has_ids) const {
    for (NodeId party = 0; party < topology_.parties(); ++party) {
      for (const OrderMark& theirs : of(party).marks) {
        if (theirs.number != mark.number) continue;
        const bool same = theirs.epoch == mark.epoch && theirs.entry == mark.entry;
        if (same && (!has_ids || theirs.id == mark.id)) return true;
      }
    }
    return false;
  }

  [[noreturn]] void refuse(NodeId node, const char* what) const {
    throw DisagreementError(
        fmt::format("the store of {} {}: it is at {}, the parties share {}; {}; bring back the newest store of every "
                    "role, or recover from a lost one (docs/guides/live.md)",
                    name(node), what, text_of(last(node)), text_of(common_), refused));
  }

  void check_not_old(NodeId node) const {
    if (last(node).number + 1 < common_.number) refuse(node, "is an old copy");
  }

  void check_actor() const {
    const NodeId actor = topology_.outside_node();
    if (last(actor).number > common_.number) refuse(actor, "is ahead: it has told what a party no longer knows");
    check_not_old(actor);
    const bool same = last(actor).number < common_.number ? fits(last(actor), true) : last(actor) == common_;
    if (!same) refuse(actor, "is of another past");
  }

  void check_rewarder() const {
    const NodeId rewarder = topology_.further_node();
    if (last(rewarder).number > common_.number + 1)
      refuse(rewarder, "is ahead: it has done what a party no longer knows");
    check_not_old(rewarder);
    const auto& marks = of(rewarder).marks;
    const OrderMark& mark = last(rewarder).number > common_.number ? marks.front() : marks.back();
    const bool same = mark.number < common_.number
                          ? fits(mark, false)
                          : mark.number == common_.number && mark.epoch == common_.epoch && mark.entry == common_.entry;
    if (!same) refuse(rewarder, "is of another past");
  }

  void check_witness() const {
    const OrderNumber known = of(*witness_).settled;
    if (known <= common_.number) return;
    const char* who = *witness_ == net::dealer_id ? "the dealer" : "the helper";
    throw DisagreementError(
        fmt::format("the stores of all roles except {0} are old copies: {0} knows number {1}, the parties share {2}; "
                    "{3}; bring back newer stores, or accept the rollback at {0}",
                    who, known, text_of(common_), refused));
  }

  const Topology& topology_;
  const Standings& histories_;
  std::vector<NodeId> keepers_;
  std::optional<NodeId> witness_;
  OrderMark common_;
};

bool is_valid(const LiveHistory& history) {
  const auto& marks = history.marks;
  if (history.settled > last_number || history.recovery_request.snapshot > last_number) return false;
  if (history.mode < LiveMode::online || history.mode > LiveMode::frozen) return false;
  if (!history.keeps_order) return marks.empty() && !history.recovered && history.recovery_request == RecoveryRequest{};
  if (history.settled != 0 || marks.empty() || marks.size() > most_marks) return false;
  for (const OrderMark& mark : marks) {
    if (mark.number > last_number || mark.epoch > history.epoch) return false;
    if (mark.number == 0 && mark != OrderMark{}) return false;
  }
  const bool is_one = marks.size() == 1;
  if (history.recovered) return is_one && marks[0].number > history.recovered->kept;
  return is_one ? marks[0].number == 0 : marks[0].number + 1 == marks[1].number;
}

void write(ByteWriter& out, const RecoveryRequest& recovery_request) {
  out.octet(recovery_request.go_back ? 1 : 0);
  out.number(recovery_request.snapshot);
  out.bytes(recovery_request.model);
  out.number(recovery_request.learned);
  out.octet(recovery_request.rebuild ? 1 : 0);
  out.octet(recovery_request.accept_actor ? 1 : 0);
  out.octet(recovery_request.accept_rewarder ? 1 : 0);
  out.octet(recovery_request.from.any() ? 1 : 0);
  if (recovery_request.from.any()) live::write(out, recovery_request.from);
}

RecoveryRequest read_recovery_request(ByteReader& in) {
  RecoveryRequest recovery_request;
  recovery_request.go_back = in.flag();
  recovery_request.snapshot = in.number<OrderNumber>();
  recovery_request.model = in.array<sizeof(bandit::CheckpointId)>();
  recovery_request.learned = in.number<std::uint64_t>();
  recovery_request.rebuild = in.flag();
  recovery_request.accept_actor = in.flag();
  recovery_request.accept_rewarder = in.flag();
  if (in.flag()) recovery_request.from = read_sum_bits(in);
  return recovery_request;
}

void check_version(const std::string& name, std::span<const std::byte> bytes) {
  if (bytes.empty() || bytes[0] == std::byte{live_store_version}) return;
  throw DisagreementError(fmt::format(
      "{} keeps its store in version {}, this role in version {}: install one version of sotto at all roles", name,
      std::to_integer<unsigned>(bytes[0]), live_store_version));
}

net::ResumeBytes agreed_bytes(const Topology& topology, const net::ResumeStates& said) {
  Standings histories;
  for (const auto& [role, bytes] : said) {
    check_version(net::peer_name(topology, role), bytes);
    const std::optional<LiveHistory> history = decode_live_history(bytes);
    if (!history || history->keeps_order != (std::optional(role) != witness_of(topology))) {
      const std::string name = net::peer_name(topology, role);
      throw ProtocolError(ProtocolError::Kind::malformed, name, 0, name + " says of its past what no role can");
    }
    histories[role] = *history;
  }
  return encode(agree_on_opening(topology, histories));
}

std::string described(std::span<const std::byte> bytes) {
  const std::optional<LiveOpening> opening = decode_live_opening(bytes);
  if (!opening) return "no epoch that there is";
  return fmt::format("epoch {} {} number {} ({})", opening->epoch, opening->recovery ? "with the recovery" : "after",
                     opening->number, brief(opening->id));
}

}  // namespace

std::vector<std::byte> encode(const LiveHistory& history) {
  ByteWriter out;
  out.octet(live_store_version);
  out.octet(history.keeps_order ? 1 : 0);
  out.number(history.epoch);
  out.number(history.settled);
  out.octet(static_cast<std::uint8_t>(history.marks.size()));
  for (const OrderMark& mark : history.marks) write(out, mark);
  out.number(history.mode);
  out.octet(history.recovered ? 1 : 0);
  if (history.recovered) write(out, *history.recovered);
  write(out, history.recovery_request);
  return out.take();
}

std::vector<std::byte> encode(const LiveOpening& opening) {
  ByteWriter out;
  out.number(opening.epoch);
  out.number(opening.number);
  out.bytes(opening.id);
  out.octet(opening.recovery ? 1 : 0);
  if (opening.recovery) write(out, *opening.recovery);
  return out.take();
}

std::optional<LiveHistory> decode_live_history(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  if (in.octet() != live_store_version) return std::nullopt;
  LiveHistory history;
  history.keeps_order = in.flag();
  history.epoch = in.number<std::uint32_t>();
  history.settled = in.number<OrderNumber>();
  const std::size_t marks = in.octet();
  if (marks > most_marks) return std::nullopt;
  for (std::size_t i = 0; i < marks; ++i) history.marks.push_back(read_mark(in));
  history.mode = static_cast<LiveMode>(in.octet());
  if (in.flag()) history.recovered = read_recovery(in);
  history.recovery_request = read_recovery_request(in);
  if (!in.at_end() || !is_valid(history)) return std::nullopt;
  return history;
}

std::optional<LiveOpening> decode_live_opening(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  LiveOpening opening;
  opening.epoch = in.number<std::uint32_t>();
  opening.number = in.number<OrderNumber>();
  opening.id = in.array<sizeof(bandit::CheckpointId)>();
  if (in.flag()) opening.recovery = read_entry(in);
  if (!in.at_end() || opening.epoch < 1 || opening.number > last_number) return std::nullopt;
  if (!opening.recovery) return opening;
  const OrderEntry& entry = *opening.recovery;
  const bool fits = entry.shape.kind == EntryKind::recovery && entry.number == opening.number &&
                    recovery_id(entry, opening.epoch) == opening.id;
  if (!fits) return std::nullopt;
  return opening;
}

std::vector<NodeId> keepers_of(const Topology& topology) {
  std::vector<NodeId> keepers;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    if (!topology.is_helper(node)) keepers.push_back(node);
  }
  return keepers;
}

std::optional<NodeId> witness_of(const Topology& topology) {
  if (topology.has_dealer()) return net::dealer_id;
  return topology.has_helper() ? std::optional(topology.helper()) : std::nullopt;
}

LiveOpening agree_on_opening(const Topology& topology, const Standings& histories) {
  return Opening(topology, histories).agree();
}

net::Resume resume_live(const Topology& topology, const LiveHistory& mine) {
  return {encode(mine), [topology](const net::ResumeStates& said) { return agreed_bytes(topology, said); }, described};
}

}  // namespace sotto::apps::live
