// The problems that the decision service reports to a client whose call failed, with their HTTP status. The text of a
// problem contains no feature, arm or reward.
#pragma once

#include <string>

#include "apps/kit/http/request.h"
#include "apps/live/order/entry.h"

namespace sotto::apps::live {

// ---- any role
[[nodiscard]] Problem unknown_event(const EventId& event);  // 404
[[nodiscard]] Problem not_ready(const std::string& why);    // 503

[[nodiscard]] Problem no_backups();                        // 409: the config names no folder for backups
[[nodiscard]] Problem backup_under_way();                  // 409
[[nodiscard]] Problem backup_refused(std::string detail);  // 409: the name or the store does not allow a backup
[[nodiscard]] Problem backup_failed(std::string detail);   // 503

// ---- the actor
[[nodiscard]] Problem event_conflict(const EventId& event);                    // 409: an earlier call had another body
[[nodiscard]] Problem already_decided(const EventId& event);                   // 409: the event's arm is lost
[[nodiscard]] Problem subject_in_batch(const EventId& event);                  // 409: the subject has a waiting event
[[nodiscard]] Problem bad_decision(const EventId& event, std::string detail);  // 400
[[nodiscard]] Problem queue_full(const EventId& event, unsigned retry_after);  // 503
[[nodiscard]] Problem draining(const EventId& event);                          // 503
[[nodiscard]] Problem not_stored(const EventId& event);                        // 503
[[nodiscard]] Problem no_decision(const EventId& event);                       // 503: deadline passed, no baseline arm
[[nodiscard]] Problem activation_late(const EventId& event);                   // 410
[[nodiscard]] Problem not_decided(const EventId& event);                       // 409
[[nodiscard]] Problem learning_ended();                                        // 409

// ---- the actor and the rewarder
[[nodiscard]] Problem not_learned(const EventId& event);  // 410

// ---- a party
[[nodiscard]] Problem features_late(const EventId& event);                             // 409
[[nodiscard]] Problem features_decided(const EventId& event);                          // 409
[[nodiscard]] Problem features_conflict(const EventId& event);                         // 409
[[nodiscard]] Problem features_full(const EventId& event);                             // 503
[[nodiscard]] Problem other_schema(const EventId& event, std::uint32_t wanted);        // 422
[[nodiscard]] Problem feature_out_of_range(const EventId& event, std::string detail);  // 422

// ---- the rewarder
[[nodiscard]] Problem reward_late(const EventId& event);                          // 410
[[nodiscard]] Problem reward_conflict(const EventId& event);                      // 409
[[nodiscard]] Problem reward_out_of_range(const EventId& event, bool is_binary);  // 422
[[nodiscard]] Problem reward_id_missing(const EventId& event);                    // 422
[[nodiscard]] Problem too_many_rewards(const EventId& event);                     // 422

}  // namespace sotto::apps::live
