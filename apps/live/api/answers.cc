#include "apps/live/api/answers.h"

#include <stdexcept>

#include "apps/bandit/model/privacy.h"
#include "apps/kit/files/json.h"
#include "apps/kit/report/described.h"
#include "apps/live/api/event_text.h"
#include "apps/live/api/problems.h"
#include "apps/live/service/live_service.h"
#include "core/text/terminal_safe.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps::live {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longest_line = 512;  // bytes

const char* name_of_state(const PeerStatus& peer) { return peer.state == PeerState::here ? "here" : "away"; }

Json peer_json(const PeerStatus& peer, LiveTime now) {
  Json json;
  json["role"] = peer.role;
  json["state"] = name_of_state(peer);
  json["last_heard_s"] = nullptr;
  if (peer.last_heard) json["last_heard_s"] = now > *peer.last_heard ? double(now - *peer.last_heard) / 1000 : 0.0;
  json["trouble"] = terminal_safe(peer.trouble, longest_line);
  json["certificate_until_ms"] = peer.certificate_until ? Json(*peer.certificate_until) : Json(nullptr);
  return json;
}

using ViewJson = nlohmann::ordered_json;

struct LiveView {
  std::vector<const char*> sees;
  std::vector<const char*> never;
};

LiveView view_of(LiveRoleKind kind) {
  switch (kind) {
    case LiveRoleKind::actor:
      return {{"event ids, and when each was asked", "the arm of each event, but in mode apprentice",
               "in mode apprentice, of a window of events, how many agree with the model, with noise",
               "which events are learned together"},
              {"features, and whether a party had any", "rewards, and whether an event had one", "the model"}};
    case LiveRoleKind::party:
      return {{"its own features", "event ids, and pseudonyms where it is asked for features",
               "which arms an event must not get", "which events share a batch, and when it is learned"},
              {"features of other parties", "arms", "rewards", "the model: it has one share of it"}};
    case LiveRoleKind::rewarder:
      return {{"its own rewards", "event ids, also of events that are never rewarded", "which events share a batch"},
              {"features", "arms, unless the world tells it", "the model"}};
    case LiveRoleKind::helper:
      return {{"shapes of programs, and when they are run or skipped", "two of the three pieces of each mask and coin"},
              {"event ids", "features", "arms", "rewards", "the model", "any message of a decide"}};
    case LiveRoleKind::dealer:
      break;
  }
  return {{"shapes of programs, and when they are run or skipped"},
          {"event ids", "features", "arms", "rewards", "the model"}};
}

double bits_of(std::uint64_t events, const DecisionTerms& terms) {
  return static_cast<double>(events) * bandit::bits_per_action(terms.arms.size(), terms.epsilon);
}

ViewJson agreed_json(const AgreedEvents& agreed) { return {{"events", agreed.events}, {"agreed", agreed.agreed}}; }

ViewJson subjects_json(const std::optional<SubjectFigures>& figures, const DecisionTerms& terms) {
  if (!figures) return nullptr;
  ViewJson json;
  json["limit_per_day"] = figures->limits.per_day;
  json["limit_ever"] = figures->limits.ever ? ViewJson(*figures->limits.ever) : ViewJson(nullptr);
  json["most_today"] = figures->most_today;
  json["most_ever"] = figures->most_ever;
  json["at_limit"] = figures->at_limit;
  json["default_rows"] = figures->default_rows;
  json["uncharged"] = figures->uncharged;
  json["eta_most"] = json_of(bandit::eta_composed(terms.arms.size(), terms.epsilon, figures->most_ever).basic);
  json["bits_most"] = bits_of(figures->most_ever, terms);
  return json;
}

ViewJson agreement_json(const LiveStatus& status, const AgreementTerms& terms) {
  if (!keeps_order(status.kind)) return nullptr;
  const Agreement& agreement = status.agreement;
  ViewJson json;
  json["window"] = terms.window;
  json["epsilon"] = terms.epsilon;
  json["rows_per_subject"] = terms.rows_per_subject;
  const std::string weak = weak_agreement_text(terms.epsilon);
  json["warning"] = weak.empty() ? ViewJson(nullptr) : ViewJson(weak);
  json["account"] = status.kind == LiveRoleKind::party ? ViewJson(status.has_account) : ViewJson(nullptr);
  json["compared"] = agreement.events;
  json["shown"] = agreement.opened;
  json["epsilon_spent"] = agreement.spent;
  json["last"] = json["all"] = nullptr;
  if (status.kind != LiveRoleKind::actor || agreement.opened == 0) return json;
  json["last"] = agreed_json(agreement.last);
  json["all"] = agreed_json(agreement.all);
  return json;
}

ViewJson estimate_json(const LiftEstimate& estimate) {
  return {{"events", estimate.events}, {"service", estimate.service},          {"baseline", estimate.baseline},
          {"lift", estimate.lift},     {"low", estimate.lift - estimate.half}, {"high", estimate.lift + estimate.half}};
}

ViewJson lift_json(const LiveStatus& status, const LiftBasis& basis) {
  if (!keeps_order(status.kind) || basis.levels.empty()) return nullptr;
  const LiftWindow& lift = status.lift;
  ViewJson json;
  json["baseline_arm"] = basis.baseline;
  json["window"] = basis.windows.window;
  json["epsilon"] = basis.windows.epsilon;
  json["rows_per_subject"] = basis.windows.rows_per_subject;
  json["counted"] = lift.events;
  json["shown"] = lift.opened;
  json["epsilon_spent"] = lift.spent;
  json["last"] = json["all"] = nullptr;
  if (status.kind != LiveRoleKind::actor || lift.opened == 0) return json;
  if (const LiftEstimate last = lift_estimate(lift.last, 1, basis); last.events > 0) json["last"] = estimate_json(last);
  if (const LiftEstimate all = lift_estimate(lift.all, lift.opened, basis); all.events > 0) {
    json["all"] = estimate_json(all);
  }
  return json;
}

}  // namespace

const char* name_of(Readiness readiness) {
  switch (readiness) {
    case Readiness::ready:
      return "ready";
    case Readiness::setting_up:
      return "setting-up";
    case Readiness::refused:
      return "refused";
    case Readiness::disk_full:
      return "disk-full";
    case Readiness::draining:
      return "draining";
    case Readiness::ended:
      break;
  }
  return "ended";
}

const char* name_of(LiveRoleKind kind) {
  switch (kind) {
    case LiveRoleKind::party:
      return "party";
    case LiveRoleKind::actor:
      return "actor";
    case LiveRoleKind::rewarder:
      return "rewarder";
    case LiveRoleKind::helper:
      return "helper";
    case LiveRoleKind::dealer:
      break;
  }
  return "dealer";
}

Json decision_json(const LiveAnswer& answer, const DecisionTerms& terms) {
  const bool is_decided = answer.state == DecisionState::decided;
  Json json;
  json["event"] = event_text(answer.event);
  json["status"] = is_decided ? "decided" : "baseline";
  json["arm"] = terms.arms.at(answer.arm);
  json["arm_index"] = answer.arm;
  if (answer.own == OwnArm::played) json["own_arm"] = "played";
  if (answer.own == OwnArm::ignored) json["own_arm"] = "ignored";
  if (!is_decided) return json;
  json["number"] = answer.number;
  // The service knows the probability of an arm only if it chose the arm. No role knows the probabilities of the
  // caller's own policy.
  if (answer.own == OwnArm::played || answer.own == OwnArm::unknown) return json;
  json["epsilon"] = terms.epsilon;
  json["least_probability"] = terms.epsilon / static_cast<double>(terms.arms.size());
  return json;
}

Json pending_json(const EventId& event) {
  Json json;
  json["event"] = event_text(event);
  json["status"] = "pending";
  return json;
}

AskAnswer ask_answer(const EventId& event, const AskReply& reply, const DecisionTerms& terms, unsigned retry_after) {
  switch (reply.status) {
    case AskStatus::answered:
      if (!reply.answer) throw std::logic_error("an answer without an arm");
      return decision_json(*reply.answer, terms);
    case AskStatus::pending:
      if (reply.unanswered) return no_decision(event);
      return pending_json(event);
    case AskStatus::conflict:
      return event_conflict(event);
    case AskStatus::queue_full:
      return queue_full(event, retry_after);
    case AskStatus::draining:
      return draining(event);
    case AskStatus::already_decided:
      return already_decided(event);
    case AskStatus::subject_waits:
      return subject_in_batch(event);
    case AskStatus::lacks_own_arm:
      return bad_decision(event, "field \"own_arm\": it is missing, and the mode is apprentice");
    case AskStatus::invalid:
      break;
  }
  return bad_decision(event, "the service does not take this request");
}

Problem problem_of(CallRefusal trouble) {
  switch (trouble) {
    case CallRefusal::none:
      break;
    case CallRefusal::full:
      return unavailable("queue-full", "Too many calls wait", default_retry_after);
    case CallRefusal::disk_full:
      return unavailable("disk-full", "The disk is full: nothing was stored", seconds_to_wait_for_room);
    case CallRefusal::ended:
      return unavailable("ended", "The service ends", default_retry_after);
    case CallRefusal::learning_ended:
      return learning_ended();
  }
  throw std::invalid_argument("there is no trouble");
}

Problem with_event(Problem problem, const EventId& event) {
  problem.event = event_text(event);
  return problem;
}

Json view_json(const EventId& event, const EventView& view, const DecisionTerms& terms) {
  Json json;
  json["event"] = event_text(event);
  json["state"] = view.state;
  json["at_ms"] = view.at > 0 ? Json(view.at) : Json(nullptr);
  json["number"] = view.number > 0 ? Json(view.number) : Json(nullptr);
  json["learned"] = view.learned;
  if (view.active) json["active"] = *view.active;
  if (view.arm) json["arm"] = terms.arms.at(*view.arm);
  if (view.reward) json["reward"] = *view.reward;
  return json;
}

Json status_json(const LiveStatus& status, LiveTime now) {
  Json json;
  json["kind"] = name_of(status.kind);
  json["role"] = status.role;
  json["version"] = status.version;
  json["mode"] = name_of(status.mode);
  json["session"] = status.session;
  json["config"] = status.config;
  json["state"] = name_of(status.readiness);
  json["why"] = terminal_safe(status.why, longest_line);
  json["epoch"] = status.epoch;
  json["number"] = status.number;
  const bool has_id = status.checkpoint != bandit::CheckpointId{};
  json["checkpoint"] = has_id ? Json(hex(status.checkpoint)) : Json(nullptr);
  json["model_version"] = status.model;
  json["pending"] = status.pending;
  json["queue"] = status.queue;
  json["running"] = status.running > 0 ? Json(status.running) : Json(nullptr);
  json["draining"] = status.draining;
  json["drained"] = status.drained;
  json["snapshots"] = Json::array();
  for (const SnapshotName& copy : status.snapshots) {
    json["snapshots"].push_back(Json{{"number", copy.number}, {"id", hex(copy.id)}, {"learned", copy.learned}});
  }
  json["dropped"] = status.dropped;
  json["certificate_until_ms"] = status.certificate_until ? Json(*status.certificate_until) : Json(nullptr);
  json["learned"] = status.learned;
  json["steps"] = status.steps ? Json(*status.steps) : Json(nullptr);
  json["warnings"] = Json::array();
  for (const LiveWarning& warning : warnings_of(status, now)) json["warnings"].push_back(warning.text);
  json["peers"] = Json::array();
  for (const PeerStatus& peer : status.peers) json["peers"].push_back(peer_json(peer, now));
  return json;
}

Json mark_json(const OrderMark& mark) {
  Json json;
  json["number"] = mark.number;
  json["id"] = hex(mark.id);
  return json;
}

ViewJson privacy_json(const LiveStatus& status, const LiveCounters& counters, const DecisionTerms& terms) {
  ViewJson json;
  const auto& decisions = status.decisions_ever;
  json["decisions"] = decisions ? ViewJson(*decisions) : ViewJson(nullptr);
  json["epsilon"] = terms.epsilon;
  json["eta_per_action"] = json_of(bandit::eta_per_action(terms.arms.size(), terms.epsilon));
  json["eta_composed"] = nullptr;
  if (decisions) {
    json["eta_composed"] = json_of(bandit::eta_composed(terms.arms.size(), terms.epsilon, *decisions));
  }
  json["agreement"] = agreement_json(status, terms.agreement);
  json["lift"] = lift_json(status, terms.lift);
  json["subjects"] = subjects_json(counters.subjects, terms);
  json["randomness"] = json_of(terms.randomness);
  LiveView view = view_of(status.kind);
  if (status.kind == LiveRoleKind::actor && !terms.lift.levels.empty()) {
    view.sees.push_back(
        "of a window of learned events, how many earned which reward, and how many of these played the "
        "baseline arm, with noise");
  }
  json["views"] = {{"sees", view.sees}, {"never", view.never}};
  return json;
}

ViewJson subject_json(const SubjectCount& count, const DecisionTerms& terms) {
  ViewJson json;
  json["today"] = count.today;
  json["ever"] = count.ever;
  json["eta"] = json_of(bandit::eta_composed(terms.arms.size(), terms.epsilon, count.ever).basic);
  json["bits"] = bits_of(count.ever, terms);
  return json;
}

}  // namespace sotto::apps::live
