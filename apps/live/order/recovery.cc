// How the roles agree on a recovery after a store was lost.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "apps/live/order/opening.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/peers.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps::live {
namespace {

using RecoveryHistories = std::map<NodeId, LiveHistory>;

constexpr const char* unchanged = "the service does not open, and nothing was changed";

std::string brief_model(const bandit::CheckpointId& id) {
  return id == bandit::CheckpointId{} ? std::string("the empty model") : "the model " + hex(std::span(id).first(4));
}

struct Base {
  OrderNumber number = 0;
  bandit::CheckpointId id{};

  friend bool operator==(const Base&, const Base&) = default;
};

Base base_of(const LiveHistory& history) {
  if (history.recovered) return {history.recovered->kept, history.recovered->kept_id};
  return {history.marks.back().number, history.marks.back().id};
}

class Recovering {
 public:
  Recovering(const Topology& topology, const RecoveryHistories& histories)
      : topology_(topology), histories_(histories), keepers_(keepers_of(topology)) {}

  [[nodiscard]] std::optional<OrderEntry> agree() {
    take_recovery_requests();
    take_unfinished();
    if (!wanted_.snapshot && !wanted_.actor && !wanted_.rewarder) return std::nullopt;
    check_all_agree();
    find_told();
    OrderEntry entry;
    entry.number = number();
    entry.shape = ProgramShape{EntryKind::recovery, 0};
    entry.mode = mode();
    entry.recovery = wanted_;
    return entry;
  }

 private:
  [[nodiscard]] const LiveHistory& of(NodeId node) const { return histories_.at(node); }
  [[nodiscard]] std::string name(NodeId node) const { return net::peer_name(topology_, node); }
  [[nodiscard]] NodeId actor() const { return topology_.outside_node(); }
  [[nodiscard]] bool has_rewarder() const { return topology_.has_further_node(); }
  [[nodiscard]] NodeId rewarder() const { return topology_.further_node(); }
  [[nodiscard]] bool is_party(NodeId node) const { return node < topology_.parties(); }
  [[nodiscard]] OrderNumber last(NodeId node) const { return of(node).marks.back().number; }

  void take_recovery_requests() {
    bool is_new = true;
    for (const NodeId node : keepers_) is_new = is_new && last(node) == 0;
    for (NodeId party = 0; party < topology_.parties(); ++party) {
      const RecoveryRequest& recovery_request = of(party).recovery_request;
      if (!recovery_request.go_back) continue;
      wanted_.snapshot = true;
      wanted_.model = recovery_request.model;
      wanted_.learned = recovery_request.learned;
      wanted_.from = recovery_request.from;
    }
    wanted_.actor = of(actor()).recovery_request.rebuild && !is_new;
    wanted_.rewarder = has_rewarder() && of(rewarder()).recovery_request.rebuild && !is_new;
  }

  void take_unfinished() {
    std::optional<NodeId> newest;
    OrderNumber highest = 0;
    for (const NodeId node : keepers_) {
      highest = std::max(highest, last(node));
      if (of(node).recovered && (!newest || last(node) > last(*newest))) newest = node;
    }
    if (!newest || highest > last(*newest)) return;
    const OrderMark& mark = of(*newest).marks.back();
    bool all = true;
    for (const NodeId node : keepers_) {
      const OrderMark& own = of(node).marks.back();
      all = all && own.number == mark.number && own.epoch == mark.epoch && own.entry == mark.entry;
    }
    if (all) return;
    const OrderRecovery& begun = *of(*newest).recovered;
    wanted_.actor = wanted_.actor || begun.actor;
    wanted_.rewarder = wanted_.rewarder || begun.rewarder;
    if (!begun.snapshot || wanted_.snapshot) return;
    wanted_.snapshot = true;
    wanted_.model = begun.model;
    wanted_.learned = begun.learned;
    wanted_.from = begun.from;
  }

  void check_all_agree() const {
    for (const NodeId node : keepers_) {
      if (agrees(wanted_, of(node).recovery_request, of(node).recovered, is_party(node), node == actor())) continue;
      throw DisagreementError(
          fmt::format("{} has no flag for a recovery that other roles have begun: start it with {}; {}", name(node),
                      command_of(node), unchanged));
    }
  }

  [[nodiscard]] std::string command_of(NodeId node) const {
    std::string text = "sotto serve";
    if (wanted_.snapshot && is_party(node)) {
      text += fmt::format(" --from-snapshot N, of {} as at the other parties", brief_model(wanted_.model));
    }
    if (wanted_.actor) text += node == actor() ? " --rebuild" : " --accept-rebuild actor";
    if (wanted_.rewarder) text += has_rewarder() && node == rewarder() ? " --rebuild" : " --accept-rebuild rewarder";
    return text;
  }

  [[noreturn]] void refuse(NodeId node, const std::string& what) const {
    throw DisagreementError(fmt::format("{} {}: its store is at number {}, and the last known number is {}; {}",
                                        name(node), what, last(node), wanted_.kept, unchanged));
  }

  void find_told() {
    if (!wanted_.actor) {
      const Base base = base_of(of(actor()));
      wanted_.kept = base.number;
      wanted_.kept_id = base.id;
    } else if (wanted_.snapshot) {
      for (const NodeId node : keepers_) {
        if (node != actor() && !is_lost(node)) wanted_.kept = std::max(wanted_.kept, base_of(of(node)).number);
      }
    } else {
      find_common();
    }
    if (wanted_.snapshot) wanted_.kept_id = bandit::CheckpointId{};
    check_parties();
    check_rewarder();
  }

  [[nodiscard]] bool is_lost(NodeId node) const {
    return (node == actor() && wanted_.actor) || (has_rewarder() && node == rewarder() && wanted_.rewarder);
  }

  [[nodiscard]] bool knows(NodeId party, const Base& base) const {
    if (of(party).recovered) return base_of(of(party)) == base;
    const auto& marks = of(party).marks;
    return std::any_of(marks.begin(), marks.end(),
                       [&](const OrderMark& mark) { return mark.number == base.number && mark.id == base.id; });
  }

  void find_common() {
    OrderNumber most = std::numeric_limits<OrderNumber>::max();
    if (has_rewarder() && !is_lost(rewarder())) most = base_of(of(rewarder())).number;
    std::vector<Base> offered{base_of(of(0))};
    if (!of(0).recovered && of(0).marks.size() > 1) offered.push_back({of(0).marks[0].number, of(0).marks[0].id});
    for (const Base& base : offered) {
      bool common = base.number <= most;
      for (NodeId party = 0; party < topology_.parties(); ++party) common = common && knows(party, base);
      if (!common) continue;
      wanted_.kept = base.number;
      wanted_.kept_id = base.id;
      return;
    }
    throw DisagreementError(fmt::format(
        "the parties have no number in common from which the actor's store could be rebuilt; {}; bring back the newest "
        "store of each party, or go back to a snapshot",
        unchanged));
  }

  void check_parties() const {
    for (NodeId party = 0; party < topology_.parties(); ++party) {
      if (!of(party).recovered && last(party) > wanted_.kept + 1) {
        refuse(party, "has done more than the actor, whose store is an old copy");
      }
      if (!wanted_.snapshot && !knows(party, {wanted_.kept, wanted_.kept_id})) refuse(party, "is of another past");
    }
  }

  void check_rewarder() const {
    if (!has_rewarder() || is_lost(rewarder())) return;
    const OrderNumber base = base_of(of(rewarder())).number;
    // The rewarder must have done entry `kept`. If the parties go back to a copy, one entry less is enough, because all
    // pending events are dropped.
    if (base + (wanted_.snapshot ? 1 : 0) < wanted_.kept) refuse(rewarder(), "has an old copy of its store");
    if (base > wanted_.kept + 1) refuse(rewarder(), "has done more than the actor, whose store is an old copy");
  }

  [[nodiscard]] OrderNumber number() const {
    const std::optional<NodeId> witness = witness_of(topology_);
    OrderNumber highest = witness ? of(*witness).settled : 0;
    for (const NodeId node : keepers_) highest = std::max(highest, last(node));
    return highest + 1;
  }

  [[nodiscard]] LiveMode mode() const {
    if (!wanted_.actor) return of(actor()).mode;
    for (const NodeId node : keepers_) {
      if (!is_lost(node) && base_of(of(node)).number == wanted_.kept) return of(node).mode;
    }
    return of(0).mode;
  }

  const Topology& topology_;
  const RecoveryHistories& histories_;
  std::vector<NodeId> keepers_;
  OrderRecovery wanted_;
};

}  // namespace

bool agrees(const OrderRecovery& recovery, const RecoveryRequest& recovery_request,
            const std::optional<OrderRecovery>& recovered, bool is_party, bool is_actor) {
  const OrderRecovery done = recovered.value_or(OrderRecovery{});
  if (recovery.snapshot && is_party) {
    const auto is_it = [&](const auto& of) {
      return of.model == recovery.model && of.learned == recovery.learned && of.from == recovery.from;
    };
    const bool goes_back = recovery_request.go_back && is_it(recovery_request);
    const bool has_gone = !recovery_request.go_back && done.snapshot && is_it(done);
    if (!goes_back && !has_gone) return false;
  }
  const bool is_rewarder = !is_party && !is_actor;
  if (recovery.actor && !done.actor && !(is_actor ? recovery_request.rebuild : recovery_request.accept_actor))
    return false;
  return !recovery.rewarder || done.rewarder ||
         (is_rewarder ? recovery_request.rebuild : recovery_request.accept_rewarder);
}

bandit::CheckpointId recovery_id(const OrderEntry& recovery, std::uint32_t epoch) {
  const OrderRecovery& of = recovery.recovery;
  return order_id({of.snapshot ? of.model : of.kept_id, {}, epoch}, recovery.number, digest_of(recovery), {});
}

std::optional<OrderEntry> agree_on_recovery(const Topology& topology, const RecoveryHistories& histories) {
  return Recovering(topology, histories).agree();
}

}  // namespace sotto::apps::live
