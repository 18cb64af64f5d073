#include "apps/live/engine/party_engine.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "apps/kit/dp/samplers.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {

PartyEngine::PartyEngine(net::Io& io, LiveRows& rows, EngineConfig config, FeatureValues defaults, PartyGuards guards)
    : rows_(rows),
      defaults_(std::move(defaults)),
      guards_(guards),
      core_(io, *this, std::move(config)),
      coins_(Coins::of(core_.config().insecure_seed)) {}

PartyEngine::~PartyEngine() { core_.stop(); }

void PartyEngine::view(const EventId& event, Answered<std::optional<EventView>> answer) {
  ask_view(views_, event, std::move(answer));
}

void PartyEngine::push(std::vector<FeaturePush> pushes, Answered<std::vector<PushStatus>> answer) {
  pushes_.ask(std::move(pushes), std::move(answer));
}

void PartyEngine::view_subject(const std::string& subject, Answered<std::optional<SubjectCount>> answer) {
  subjects_.ask({subject}, [answer = std::move(answer)](CallResult<std::vector<std::optional<SubjectCount>>> result) {
    CallResult<std::optional<SubjectCount>> one{result.trouble, {}};
    if (!result.result.empty()) one.result = result.result.front();
    answer(one);
  });
}

void PartyEngine::work(LiveTime now) {
  pushes_.work([&](std::span<const FeaturePush> pushes) { return party_->push(pushes, now); });
  work_on_views(views_, *party_);
  subjects_.work([&](std::span<const std::string> names) {
    std::vector<std::optional<SubjectCount>> counts;
    counts.reserve(names.size());
    for (const std::string& name : names) counts.push_back(party_->subject(name, now));
    return counts;
  });
  if (forgets_.is_due(now)) {
    (void)party_->forget(now);
    forgets_.done(now, party_->forgets_more());
  }
  // The calls that were just answered may have brought features for which the engine thread waits.
  if (party_->running() != nullptr) core_.wake_engine();
}

void PartyEngine::fail_calls(CallRefusal trouble) {
  pushes_.fail(trouble);
  views_.fail(trouble);
  subjects_.fail(trouble);
}

void PartyEngine::make() {
  const LiveSettings& settings = core_.config().settings;
  const Ratio scale = laplace_scale(settings.agreement_epsilon, settings.agreement_rows_per_subject);
  const auto noise = [this, scale] { return discrete_laplace(coins_, scale); };
  party_ = std::make_unique<LiveParty>(rows_, settings, defaults_, noise, core_.config().recovery_request, guards_);
  party_->name_by(own_names_);
  // A subject's events move two counts each.
  const Ratio of_lift = laplace_scale(settings.agreement_epsilon, 2 * settings.agreement_rows_per_subject);
  party_->draw_lift_noise_by([this, of_lift] { return discrete_laplace(coins_, of_lift); });
  party_->begin_figures(core_.now());
}

void PartyEngine::leave_epoch() { party_->leave_epoch(); }

void PartyEngine::fill(LiveStatus& status) const {
  fill_order(status, *party_);
  const OrderBook& book = party_->book();
  status.checkpoint = book.last().mark.id;
  status.queue = party_->waiting();
  status.has_account = guards_.account != nullptr;
  status.account_trouble = guards_.account != nullptr ? guards_.account->trouble() : std::string();
  status.days_ahead = party_->days_ahead(core_.now());
  status.snapshots = book.snapshots();
}

void PartyEngine::report_figures(LiveCounters& counters) const {
  fill_figures(counters, *party_);
  const CallFigures& figures = party_->figures();
  counters.features = figures.features;
  counters.late_features = figures.late_features;
  counters.dropped_features = figures.dropped_features;
  counters.missing_features = party_->book().last().tally.missing;
  counters.ranges = party_->ranges();
  counters.subjects = party_->subject_figures(core_.now());
}

// Call under the lock.
void PartyEngine::load_model(const bandit::BatchPlan& plan) {
  model_.reset();
  const auto row = party_->model();
  if (!row) return;
  std::optional<bandit::ModelWords> model = decode_model_words(*row, plan);
  if (!model) refuse_damaged("model");
  model_ = std::make_shared<const bandit::ModelWords>(std::move(*model));
}

void PartyEngine::play(const Epoch& epoch) {
  core_.with_role([&] {
    party_->open(epoch.opening, epoch.mesh.session(),
                 [&](std::span<const std::byte> imported) { return core_.config().convert(imported, epoch.plan); });
    load_model(epoch.plan);
  });
  ran_.reset();
  to_tell_ = 0;
  NodeEpoch node(core_, epoch);
  restate(node);
  core_.say_open();
  for (;;) {
    std::optional<LiveTime> cut_off;
    std::optional<OrderEntry> ready;
    core_.with_role([&] {
      if (party_->running() == nullptr) return;
      cut_off = waits_for_features();
      if (!cut_off) ready = *party_->running();
    });
    if (ready) {
      run(node, *ready);
    } else if (const auto received = node.wait(core_.until(cut_off))) {
      receive(node, received->first, received->second);
    }
    if (const std::uint64_t program = std::exchange(to_tell_, 0)) node.send(node.actor(), RanFrame{program});
  }
}

void PartyEngine::restate(NodeEpoch& epoch) {
  const auto& recovery = epoch.opening().recovery;
  if (recovery) {
    send_known_events(epoch, recovery->recovery);
  } else if (epoch.opening().number > 0) {
    const auto restated = core_.with_role([&] { return std::pair{party_->restate(true), party_->restate(false)}; });
    epoch.send(epoch.actor(), restated.first);
    if (relays(epoch)) epoch.send(epoch.rewarder(), restated.second);
  }
  epoch.send(epoch.actor(), OpenedFrame{epoch.opening().epoch});
}

void PartyEngine::send_known_events(NodeEpoch& epoch, const OrderRecovery& recovery) {
  const bool to_rewarder = recovery.rewarder && relays(epoch);
  if (!recovery.actor && !to_rewarder) return;
  const auto frames = core_.with_role([&] { return party_->known(core_.config().settings.largest_batch()); });
  for (const KnownFrame& frame : frames) {
    if (recovery.actor) epoch.send(epoch.actor(), frame);
    if (to_rewarder) epoch.send(epoch.rewarder(), frame);
  }
}

void PartyEngine::receive(NodeEpoch& epoch, NodeId from, const OrderMessage& message) {
  if (from == epoch.actor()) {
    if (relays(epoch)) epoch.relay(epoch.rewarder(), message);
    return receive_from_actor(epoch, message.frame);
  }
  const bool from_rewarder = from == epoch.rewarder() && relays(epoch);
  const bool is_said =
      std::holds_alternative<DoneFrame>(message.frame) || std::holds_alternative<OpenedFrame>(message.frame);
  if (!from_rewarder || !is_said) refuse_message(epoch.topology(), from, "says what only the actor says");
  epoch.relay(epoch.actor(), message);
}

void PartyEngine::receive_from_actor(NodeEpoch& epoch, const OrderFrame& frame) {
  if (const auto* plan = std::get_if<PlanFrame>(&frame)) return epoch.plan(*plan);
  if (const auto* skip = std::get_if<SkipFrame>(&frame)) return epoch.skip(*skip);
  if (const auto* learn = std::get_if<BeginFrame>(&frame)) return begin_learn(epoch, *learn);
  if (const auto* propose = std::get_if<ProposeFrame>(&frame)) return begin(epoch, propose->entry);
  if (const auto* settled = std::get_if<SettledFrame>(&frame)) {
    return core_.with_role([&] { party_->settle(*settled); });
  }
  refuse_message(epoch.topology(), epoch.actor(), "says what only parties say");
}

void PartyEngine::begin(NodeEpoch& epoch, const OrderEntry& entry) {
  const std::size_t arms = epoch.plan().parameters.arms;
  const bool barred =
      std::any_of(entry.barred.begin(), entry.barred.end(), [&](const BarredArm& one) { return one.arm >= arms; });
  if (barred) refuse_message(epoch.topology(), epoch.actor(), "bars an arm that there is not");
  epoch.expect(entry);
  core_.with_role([&] {
    party_->propose(entry, core_.now());
    proposed_ = net::Clock::now();
    if (entry.shape.kind != EntryKind::decide) return;
    take_at_hand(entry);
    ask_for_features(entry);
  });
}

// Call under the lock.
void PartyEngine::take_at_hand(const OrderEntry& entry) {
  if (!at_hand_) return;
  const std::vector<std::size_t> places = party_->missing_places();
  for (const std::size_t place : places) {
    const RowAtHand* const row = entry.subjects.empty() ? nullptr : at_hand_(entry.subjects[place]);
    if (row != nullptr) party_->supply(place, row->values, row->subject, core_.now());
  }
}

// Call under the lock.
void PartyEngine::ask_for_features(const OrderEntry& entry) {
  if (!wanted_) return;
  std::vector<EventId> events;
  std::vector<std::string> subjects;
  for (const std::size_t place : party_->missing_places()) {
    events.push_back(entry.events[place]);
    if (!entry.subjects.empty()) subjects.push_back(entry.subjects[place]);
  }
  if (events.empty()) return;
  core_.post([wanted = wanted_, events = std::move(events), subjects = std::move(subjects),
              end = party_->cut_off()]() mutable { wanted(std::move(events), std::move(subjects), end); });
}

// Call under the lock.
std::optional<LiveTime> PartyEngine::waits_for_features() {
  if (party_->running()->shape.kind != EntryKind::decide || core_.now() >= party_->cut_off()) return std::nullopt;
  // With a cadence, a decide always waits until the cut-off, so that its duration does not show whether features were
  // missing.
  if (!core_.config().settings.cadence && party_->has_all_features()) return std::nullopt;
  return party_->cut_off();
}

void PartyEngine::run(NodeEpoch& epoch, const OrderEntry& entry) {
  const std::chrono::duration<double> waited = net::Clock::now() - proposed_;
  const LiveObserver& observer = core_.config().observer;
  if (observer.batch) observer.batch(entry.shape, LiveObserver::Phase::wait, waited.count());
  DoneFrame done;
  if (entry.shape.kind == EntryKind::decide && !entry.shape.secret) {
    done = decide(epoch, entry);
    relay_what_came(epoch);
  } else {
    PartyOutcome outcome;
    if (entry.shape.secret) outcome = agree(epoch, entry);
    if (entry.shape.kind == EntryKind::learn) outcome = learned(epoch);
    relay_what_came(epoch);
    done = prepare(entry, std::move(outcome));
  }
  epoch.send(epoch.actor(), done);
  core_.with_role([&] { rows_.at_rest(); });
}

DoneFrame PartyEngine::prepare(const OrderEntry& entry, PartyOutcome outcome) {
  return core_.timed(entry.shape, LiveObserver::Phase::store,
                     [&] { return core_.with_role([&] { return party_->prepare(std::move(outcome), core_.now()); }); });
}

// Relays the frames that have arrived. Otherwise the frames would wait until this role has written to its store.
void PartyEngine::relay_what_came(NodeEpoch& epoch) {
  if (!relays(epoch)) return;
  while (const auto received = epoch.wait(net::Clock::now())) receive(epoch, received->first, received->second);
}

std::vector<std::uint64_t> PartyEngine::frozen_contexts(const bandit::BatchPlan& plan, const OrderEntry& entry) {
  return bandit::encode_rows(party_->freeze(core_.now()), entry.shape.size, columns(), plan.context_bits);
}

// A comparison of opened words needs three parties: with two, a party that lies knows all words that the other party
// received.
bool PartyEngine::checks_openings(const NodeEpoch& epoch) const {
  return core_.config().settings.check_openings && epoch.topology().parties() > 2;
}

PartyOutcome PartyEngine::agree(NodeEpoch& epoch, const OrderEntry& entry) {
  const bandit::BatchPlan& plan = epoch.plan();
  bandit::AgreeInputs inputs;
  inputs.size = entry.shape.size;
  inputs.check_openings = checks_openings(epoch);
  inputs.model = model_;
  inputs.allowed = allowed_arms(entry, plan.parameters.arms);
  core_.with_role([&] {
    inputs.contexts = frozen_contexts(plan, entry);
    inputs.shown = party_->shown_share();
    for (std::uint64_t& coin : inputs.coins) coin = coins_.next();
  });
  bandit::AgreeResult result =
      epoch.run(entry, [&](Party& party) { return run_agree(party, plan, std::move(inputs)); });
  PartyOutcome outcome;
  outcome.lanes = std::move(result.lanes);
  outcome.agreed = result.agreed;
  outcome.public_words = epoch.in_step(result.openings);
  return outcome;
}

DoneFrame PartyEngine::decide(NodeEpoch& epoch, const OrderEntry& entry) {
  const bandit::BatchPlan& plan = epoch.plan();
  bandit::DecideInputs inputs;
  inputs.size = entry.shape.size;
  inputs.check_openings = checks_openings(epoch);
  inputs.model = model_;
  inputs.allowed = allowed_arms(entry, plan.parameters.arms);
  inputs.contexts = core_.with_role([&] { return frozen_contexts(plan, entry); });
  std::optional<DoneFrame> done;
  inputs.before_arms_leave = [&](const bandit::DecideResult& result) {
    PartyOutcome outcome;
    outcome.lanes = result.lanes;
    outcome.best = result.best;
    outcome.public_words = epoch.in_step(result.openings);
    done = prepare(entry, std::move(outcome));
  };
  (void)epoch.run(entry, [&](Party& party) { return run_decide(party, plan, std::move(inputs)); });
  return done.value();
}

// Decides use the new model only after the learn's entry is done.
void PartyEngine::begin_learn(NodeEpoch& epoch, const BeginFrame& learn) {
  bandit::LearnInputs inputs;
  inputs.model = model_;
  inputs.check_openings = checks_openings(epoch);
  core_.with_role([&] {
    party_->begin(learn);
    inputs.contexts =
        bandit::encode_rows(party_->learned_rows(), learn.shape.size, columns(), epoch.plan().context_bits);
    const LiftPart& part = party_->lift_part();
    inputs.lift.best = part.best;
    inputs.lift.counted = part.counted;
    inputs.lift.shown = party_->shown_lift();
    for (std::uint64_t& coin : inputs.lift.coins) coin = coins_.next();
  });
  epoch.begin(learn, std::move(inputs), [this, program = learn.program](bandit::LearnResult result) {
    ran_ = std::move(result);
    to_tell_ = program;
  });
}

PartyOutcome PartyEngine::learned(NodeEpoch& epoch) {
  if (!ran_) refuse_message(epoch.topology(), epoch.actor(), "proposes a learn whose rounds have not ended");
  model_ = ran_->model;
  PartyOutcome outcome;
  outcome.public_words = ran_->public_words;
  outcome.model = encode(*model_);
  outcome.lift = std::move(ran_->lift);
  outcome.lanes = std::move(ran_->lift_lanes);
  ran_.reset();
  return outcome;
}

}  // namespace sotto::apps::live
