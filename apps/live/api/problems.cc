#include "apps/live/api/problems.h"

#include <fmt/format.h>

#include <utility>

#include "apps/live/api/event_text.h"
#include "apps/live/roles/rewards.h"
#include "core/text/count.h"

namespace sotto::apps::live {
namespace {

Problem of_event(unsigned status, const char* name, const char* title, const EventId& event, std::string detail = "") {
  return {status, name, title, std::move(detail), event_text(event), {}};
}

}  // namespace

Problem unknown_event(const EventId& event) { return of_event(404, "unknown-event", "The event is not known", event); }

Problem not_ready(const std::string& why) {
  return {503, "not-ready", "The service does not take this now", why, {}, {}};
}

Problem no_backups() {
  return {409,
          "no-backups",
          "This role has no folder for backups",
          "set backups in [http] of its config, and start it again",
          {},
          {}};
}

Problem backup_under_way() { return {409, "backup-under-way", "Another backup is under way", {}, {}, {}}; }

Problem backup_refused(std::string detail) {
  return {409, "backup-refused", "This backup cannot be made", std::move(detail), {}, {}};
}

Problem backup_failed(std::string detail) {
  return {503, "backup-failed", "The backup could not be written", std::move(detail), {}, {}};
}

Problem event_conflict(const EventId& event) {
  return of_event(409, "event-conflict", "The event is known with another body", event);
}

Problem already_decided(const EventId& event) {
  return of_event(
      409, "already-decided", "The event was decided before, and the actor no longer has its arm", event,
      "its arm was lost with the actor's store, or the event is older than the actor remembers: a new event "
      "needs an id of its own");
}

Problem subject_in_batch(const EventId& event) {
  return of_event(409, "subject-in-batch", "Another event of the subject waits for its arm", event,
                  "a batch takes one event of a subject: ask again once the other has its arm");
}

Problem bad_decision(const EventId& event, std::string detail) {
  return of_event(400, "bad-body", "The body is not what this path takes", event, std::move(detail));
}

Problem queue_full(const EventId& event, unsigned retry_after) {
  Problem problem = of_event(503, "queue-full", "Too many events wait for a decision", event);
  problem.retry_after = retry_after;
  return problem;
}

Problem draining(const EventId& event) {
  return of_event(503, "draining", "The service is drained: it takes no new event", event);
}

Problem not_stored(const EventId& event) {
  return of_event(503, "not-ready", "The role has not stored the call in time", event, "ask again with the same event");
}

Problem no_decision(const EventId& event) {
  return of_event(503, "no-decision", "The deadline passed, and there is no baseline arm", event);
}

Problem activation_late(const EventId& event) {
  return of_event(410, "late", "The event's batch is learned: it takes no activation any more", event);
}

Problem not_decided(const EventId& event) {
  return of_event(409, "not-decided", "The event waits for its decision", event);
}

Problem learning_ended() {
  return {409,
          "learning-ended",
          "The service has learned as many events as it can",
          "it decides and learns no more, and stays frozen; to learn further, begin a service with more steps from its "
          "model (docs/guides/live.md)",
          {},
          {}};
}

Problem not_learned(const EventId& event) {
  return of_event(410, "not-learned", "The service does not learn from this event", event,
                  "it was decided while the mode was frozen, a recovery has dropped it, or the service has learned as "
                  "many events as it can");
}

Problem features_late(const EventId& event) {
  return of_event(409, "too-late", "The event was decided without these features", event);
}

Problem features_decided(const EventId& event) {
  return of_event(409, "too-late", "The event was decided, by a version that did not keep with which features", event);
}

Problem features_conflict(const EventId& event) {
  return of_event(409, "event-conflict", "Other features were pushed for the event", event);
}

Problem features_full(const EventId& event) {
  return of_event(503, "queue-full", "The features of too many events wait", event);
}

Problem other_schema(const EventId& event, std::uint32_t wanted) {
  return of_event(422, "other-schema", "The features are of another schema", event,
                  fmt::format("this party takes schema {}", wanted));
}

Problem feature_out_of_range(const EventId& event, std::string detail) {
  return of_event(422, "feature-out-of-range", "A feature is outside its range", event, std::move(detail));
}

Problem reward_late(const EventId& event) {
  return of_event(410, "late", "The event's batch takes no reward any more", event);
}

Problem reward_conflict(const EventId& event) {
  return of_event(409, "reward-conflict", "Another value has this reward_id", event);
}

Problem reward_out_of_range(const EventId& event, bool is_binary) {
  return of_event(422, "reward-out-of-range", "The reward is outside its range", event,
                  is_binary ? "expected 0 or 1" : "expected a number from -1 to 1");
}

Problem reward_id_missing(const EventId& event) {
  return of_event(422, "reward-id-missing", "A reward needs a reward_id here", event,
                  "rewards of an event are added up or compared: the id tells a further one from the same again");
}

Problem too_many_rewards(const EventId& event) {
  return of_event(422, "too-many-rewards", "The event has too many rewards", event,
                  fmt::format("at most {}", counted(most_rewards, "reward")));
}

}  // namespace sotto::apps::live
