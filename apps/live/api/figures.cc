#include "apps/live/api/dashboard.h"

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "apps/kit/files/json.h"
#include "apps/prepare/tables/doubts.h"
#include "core/text/terminal_safe.h"

namespace sotto::apps::live {
namespace {

using Figures = nlohmann::ordered_json;

void add_prepared(Figures& json, const PreparedCounters& prepared) {
  json["prepared"] = Figures{{"programs", prepared.programs},
                             {"ahead", prepared.ahead},
                             {"waited", prepared.waited},
                             {"seconds_waited", prepared.seconds_waited}};
}

void add_actor(Figures& json, const LiveCounters& counters, const DecisionTerms& terms) {
  json["decided"] = counters.decided;
  json["baselines"] = counters.baselines;
  json["rejected"] = counters.rejected;
  json["padding"] = counters.padding;
  json["arms"] = Figures::array();
  for (std::size_t i = 0; i < terms.arms.size(); ++i) {
    const std::uint64_t told_times = i < counters.arms.size() ? counters.arms[i] : 0;
    json["arms"].push_back(Figures{{"arm", terms.arms[i]}, {"told", told_times}});
  }
}

void add_party(Figures& json, const LiveCounters& counters, const ApiContext& context) {
  json["features"] = counters.features;
  json["missing"] = counters.missing_features;
  json["late"] = counters.late_features;
  json["dropped"] = counters.dropped_features;
  json["columns"] = Figures::array();
  const ColumnRanges& ranges = counters.ranges;
  for (std::size_t i = 0; i < context.features.columns.size(); ++i) {
    const FeatureColumn& column = context.features.columns[i];
    Figures each{{"name", terminal_safe(column.name)}, {"low", column.low}, {"high", column.high}};
    each["least"] = i < ranges.size() ? Figures(ranges[i].least) : Figures(nullptr);
    each["largest"] = i < ranges.size() ? Figures(ranges[i].largest) : Figures(nullptr);
    json["columns"].push_back(std::move(each));
  }
}

void add_drift(Figures& json, const ApiContext& context) {
  const prepare::RowNotes& notes = context.drift.notes();
  json["made_rows"] = notes.rows;
  json["drift"] = Figures::array();
  if (context.features.maker == nullptr) return;
  const prepare::Recipe& recipe = context.features.maker->recipe();
  for (std::size_t c = 0; c < recipe.columns.size(); ++c) {
    if (!recipe.columns[c].has_features()) continue;
    const prepare::ColumnNotes met = c < notes.columns.size() ? notes.columns[c] : prepare::ColumnNotes{};
    json["drift"].push_back(Figures{{"column", terminal_safe(recipe.columns[c].name)},
                                    {"missing", met.missing},
                                    {"unknown", met.unknown},
                                    {"clipped", met.clipped},
                                    {"drifted", has_drifted(recipe.columns[c], met, notes.rows)}});
  }
}

void add_rewarder(Figures& json, const LiveCounters& counters) {
  json["rewards"] = Figures::object();
  for (const RewardStatus status : all_reward_statuses) {
    json["rewards"][name_of(status)] = counters.rewards.at(static_cast<std::size_t>(status));
  }
  json["clipped"] = counters.clipped;
  json["learned"] = counters.rewards_learned;
  json["reward_sum"] = counters.reward_sum;
}

double real(std::uint64_t count) { return static_cast<double>(count); }

void set_total(Metrics& metrics, const char* name, const char* help, const Labels& labels, std::uint64_t total) {
  metrics.counter(name, help, labels).set(real(total));
}

void read_actor(Metrics& metrics, const LiveStatus& status, const LiveCounters& counters,
                const LiveSettings& settings) {
  const auto events = [&](const char* outcome, std::uint64_t count) {
    set_total(metrics, "sotto_events_total", "Events that were asked, by what came of them.", {{"outcome", outcome}},
              count);
  };
  events("decided", counters.decided);
  events("baseline", counters.baselines);
  events("rejected", counters.rejected);
  set_total(metrics, "sotto_padding_total", "Empty places of batches that were decided.", {}, counters.padding);
  metrics.gauge("sotto_queue_events", "Events that wait for a batch.").set(real(status.queue));
  metrics.gauge("sotto_queue_limit_events", "The most events that may wait: max_queue.").set(settings.max_queue);
  set_total(
      metrics, "sotto_clock_turns_total",
      "How often the clock of the actor went back while batches were pending that were decided by the time before.", {},
      status.clock_turns);
}

void read_party(Metrics& metrics, const LiveStatus& status, const LiveCounters& counters) {
  const auto features = [&](const char* outcome, std::uint64_t count) {
    set_total(metrics, "sotto_features_total", "Events whose features this party's side gave, by what came of them.",
              {{"outcome", outcome}}, count);
  };
  features("stored", counters.features);
  features("late", counters.late_features);
  features("dropped", counters.dropped_features);
  set_total(metrics, "sotto_missing_features_total", "Events that were decided with this party's default row.", {},
            counters.missing_features);
  if (const auto& subjects = counters.subjects) {
    set_total(metrics, "sotto_limited_events_total", "Events that had this party's default row for a subject's limit.",
              {}, subjects->default_rows);
    metrics.gauge("sotto_subjects_at_limit", "Subjects whose next event has this party's default row, today.")
        .set(real(subjects->at_limit));
    metrics.gauge("sotto_subject_events_today", "The most events of a subject with this party's own row, today.")
        .set(real(subjects->most_today));
  }
  metrics.gauge("sotto_waiting_features", "Events whose features wait for their batch.").set(real(status.queue));
}

void read_rewarder(Metrics& metrics, const LiveCounters& counters) {
  for (const RewardStatus outcome : all_reward_statuses) {
    set_total(metrics, "sotto_rewards_total", "Rewards that came, by what came of them.",
              {{"outcome", name_of(outcome)}}, counters.rewards.at(static_cast<std::size_t>(outcome)));
  }
  set_total(metrics, "sotto_clipped_rewards_total", "Sums of rewards beyond [-1, 1].", {}, counters.clipped);
}

void read_dealer(Metrics& metrics, const LiveCounters& counters) {
  set_total(metrics, "sotto_programs_dealt_total", "Programs whose randomness was dealt.", {}, counters.programs_dealt);
  metrics.gauge("sotto_programs_ahead", "Programs that are planned and not dealt.").set(real(counters.programs_ahead));
}

void read_prepared(Metrics& metrics, const PreparedCounters& prepared) {
  set_total(metrics, "sotto_programs_prepared_total", "Programs whose randomness the roles have made ahead of use.", {},
            prepared.programs);
  metrics.gauge("sotto_programs_ahead", "Programs that are prepared and not used.").set(real(prepared.ahead));
  set_total(metrics, "sotto_decides_waited_total", "Decides that waited for their randomness.", {}, prepared.waited);
  metrics.counter("sotto_decides_waited_seconds_total", "How long decides waited for their randomness, all of them.")
      .set(prepared.seconds_waited);
}

void read_order(Metrics& metrics, const LiveStatus& status, const LiveCounters& counters,
                const LiveSettings& settings) {
  const auto batches = [&](EntryKind kind, std::uint64_t count) {
    set_total(metrics, "sotto_batches_total", "Batches that were done, by kind.", {{"kind", name_of(kind)}}, count);
  };
  batches(EntryKind::decide, counters.decides);
  batches(EntryKind::learn, counters.learns);
  metrics
      .gauge("sotto_figures_start_time_seconds",
             "When the role's store began to count events, features, rewards and batches, in seconds since 1970.")
      .set(real(counters.since) / 1000);
  set_total(metrics, "sotto_agreement_windows_total", "Windows of mode apprentice whose sum the actor was shown.", {},
            status.agreement.opened);
  metrics
      .gauge("sotto_agreement_epsilon",
             "Epsilon of all windows of mode apprentice, added up: of whoever has one event in each.")
      .set(status.agreement.spent);
  set_total(metrics, "sotto_lift_windows_total", "Windows of the lift whose counts the actor was shown.", {},
            status.lift.opened);
  metrics.gauge("sotto_lift_epsilon", "Epsilon of all windows of the lift, added up: of whoever has one event in each.")
      .set(status.lift.spent);
  metrics.gauge("sotto_pending_events", "Events that are decided and not learned.").set(real(status.pending));
  metrics.gauge("sotto_pending_limit_events", "The most events that may be decided and not learned: max_pending.")
      .set(settings.max_pending);
  metrics.gauge("sotto_model_version", "Number of the last learn.").set(real(status.model));
  metrics.gauge("sotto_learned_events", "Events that the model has learned.").set(real(status.learned));
  if (status.steps) {
    metrics.gauge("sotto_steps", "The most events that the service can learn: steps in [run].")
        .set(real(*status.steps));
  }
  metrics.gauge("sotto_learning_ended", "1 if the service learns no event any more that is decided, else 0.")
      .set(status.learning_ended ? 1 : 0);
}

void read_certificates(Metrics& metrics, const LiveStatus& status) {
  const auto end = [&](const std::string& role, const std::optional<LiveTime>& until) {
    if (!until) return;
    constexpr double ms_per_second = 1000;
    metrics
        .gauge("sotto_certificate_end_seconds",
               "When the certificate of this role, and of each peer that it has met, ends: seconds since 1970.",
               {{"role", role}})
        .set(real(*until) / ms_per_second);
  };
  end(status.role, status.certificate_until);
  for (const PeerStatus& peer : status.peers) end(peer.role, peer.certificate_until);
}

void read_role(Metrics& metrics, const LiveStatus& status, const LiveCounters& counters) {
  metrics.gauge("sotto_ready", "1 if the role is ready, else 0.").set(status.readiness == Readiness::ready ? 1 : 0);
  metrics.gauge("sotto_number", "The last number that the role did.").set(real(status.number));
  metrics.gauge("sotto_epoch", "The last epoch that the role opened.").set(status.epoch);
  for (const PeerStatus& peer : status.peers) {
    metrics.gauge("sotto_peer_up", "1 if the link to the peer is up, else 0.", {{"peer", peer.role}})
        .set(peer.state == PeerState::here ? 1 : 0);
  }
  for (const auto& [cause, count] : counters.epochs) {
    set_total(metrics, "sotto_epochs_total", "Epochs that ended, by cause.", {{"cause", cause}}, count);
  }
  for (const auto& [peer, bytes] : counters.bytes_sent) {
    set_total(metrics, "sotto_bytes_sent_total", "Bytes sent in rounds, by peer.", {{"peer", peer}}, bytes);
  }
  set_total(metrics, "sotto_programs_skipped_total", "Programs whose randomness was thrown away unused.", {},
            counters.programs_skipped);
  set_total(metrics, "sotto_dealt_bytes_total", "Bytes of dealt randomness.", {}, counters.dealt_bytes);
  metrics.gauge("sotto_store_bytes", "Size of the role's store.").set(real(counters.store_bytes));
}

void read_all(Metrics& metrics, const LiveService& service) {
  const LiveStatus status = service.status();
  const LiveCounters counters = service.counters();
  read_role(metrics, status, counters);
  read_certificates(metrics, status);
  if (keeps_order(status.kind)) read_order(metrics, status, counters, service.settings());
  if (counters.prepared) read_prepared(metrics, *counters.prepared);
  if (status.kind == LiveRoleKind::actor) read_actor(metrics, status, counters, service.settings());
  if (status.kind == LiveRoleKind::party) read_party(metrics, status, counters);
  if (status.kind == LiveRoleKind::rewarder) read_rewarder(metrics, counters);
  if (status.kind == LiveRoleKind::dealer) read_dealer(metrics, counters);
}

const char* name_of_phase(LiveObserver::Phase phase) {
  switch (phase) {
    case LiveObserver::Phase::wait:
      return "wait";
    case LiveObserver::Phase::rounds:
      return "rounds";
    case LiveObserver::Phase::store:
      break;
  }
  return "store";
}

// Only the engine thread uses a BatchSeries. Each series is looked up only once, because other roles wait while a batch
// is being recorded.
class BatchSeries {
 public:
  explicit BatchSeries(Metrics& metrics) : metrics_(metrics) {}

  void observe(const ProgramShape& shape, LiveObserver::Phase phase, double seconds) {
    Histogram*& times = times_[{shape.kind, phase}];
    if (times == nullptr) {
      times = &metrics_.histogram("sotto_batch_seconds", "Time of a batch, by kind and phase.", seconds_bounds(),
                                  {{"kind", name_of(shape.kind)}, {"phase", name_of_phase(phase)}});
    }
    times->observe(seconds);
    if (phase != LiveObserver::Phase::rounds) return;
    Counter*& count = counts_[{shape.kind, shape.size}];
    if (count == nullptr) {
      count = &metrics_.counter("sotto_shapes_total", "Batches that were run, by kind and size.",
                                {{"kind", name_of(shape.kind)}, {"shape", std::to_string(shape.size)}});
    }
    count->add();
  }

 private:
  Metrics& metrics_;
  std::map<std::pair<EntryKind, LiveObserver::Phase>, Histogram*> times_;
  std::map<std::pair<EntryKind, std::uint32_t>, Counter*> counts_;
};

}  // namespace

const char* name_of(RewardStatus status) {
  switch (status) {
    case RewardStatus::used:
      return "used";
    case RewardStatus::duplicate:
      return "duplicate";
    case RewardStatus::late:
      return "late";
    case RewardStatus::conflict:
      return "conflict";
    case RewardStatus::unknown:
      return "unknown";
    case RewardStatus::not_learned:
      return "not_learned";
    case RewardStatus::invalid:
      break;
  }
  return "invalid";
}

Figures figures_json(LiveRoleKind kind, const LiveCounters& counters, const ApiContext& context) {
  Figures json;
  json["since_ms"] = counters.since;
  json["process_since_ms"] = counters.process_since;
  json["decides"] = counters.decides;
  json["learns"] = counters.learns;
  json["store_bytes"] = counters.store_bytes;
  json["programs_skipped"] = counters.programs_skipped;
  if (counters.prepared) add_prepared(json, *counters.prepared);
  switch (kind) {
    case LiveRoleKind::actor:
      add_actor(json, counters, context.terms);
      break;
    case LiveRoleKind::party:
      add_party(json, counters, context);
      add_drift(json, context);
      break;
    case LiveRoleKind::rewarder:
      add_rewarder(json, counters);
      break;
    case LiveRoleKind::helper:
      break;
    case LiveRoleKind::dealer:
      json["programs_dealt"] = counters.programs_dealt;
      json["programs_ahead"] = counters.programs_ahead;
      json["dealt_bytes"] = counters.dealt_bytes;
      break;
  }
  return json;
}

Figures history_json(LiveRoleKind kind, const LiveCounters& counters) {
  using Names = std::array<const char*, 2>;
  const Names names = kind == LiveRoleKind::actor      ? Names{"decided", "baselines"}
                      : kind == LiveRoleKind::rewarder ? Names{"learned", "reward_sum"}
                                                       : Names{"features", "missing"};
  Figures json;
  json["since_ms"] = counters.since;
  json["points"] = Figures::array();
  if (counters.history == nullptr) return json;
  for (const HistoryPoint& point : *counters.history) {
    Figures each{{"at_ms", point.at}, {names[0], static_cast<std::uint64_t>(point.totals[0])}};
    if (kind == LiveRoleKind::rewarder) {
      each[names[1]] = point.totals[1];
    } else {
      each[names[1]] = static_cast<std::uint64_t>(point.totals[1]);
    }
    json["points"].push_back(std::move(each));
  }
  return json;
}

void add_live_metrics(Metrics& metrics, const LiveService& service) {
  metrics.before_text([&metrics, &service] { read_all(metrics, service); });
}

LiveObserver observer_into(Metrics& metrics) {
  LiveObserver observer;
  observer.batch = [series = std::make_shared<BatchSeries>(metrics)](ProgramShape shape, LiveObserver::Phase phase,
                                                                     double seconds) {
    series->observe(shape, phase, seconds);
  };
  Histogram& sync = metrics.histogram("sotto_store_sync_seconds", "Time until a change of the store is on the disk.",
                                      seconds_bounds());
  observer.sync = [&sync](double seconds) { sync.observe(seconds); };
  return observer;
}

}  // namespace sotto::apps::live
