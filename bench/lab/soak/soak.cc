#include <unordered_map>

#include "apps/live/api/event_text.h"
#include "bench/lab/experiment.h"
#include "bench/lab/soak/soak_ledger.h"
#include "bench/lab/soak/soak_service.h"
#include "sotto/protocol/party/topology.h"

namespace sotto::apps::lab {

using namespace sotto::apps::bandit;
using namespace sotto::apps::live;
namespace {

using nlohmann::json;
using SoakTime = net::Clock::time_point;

constexpr std::chrono::milliseconds a_turn{2};
constexpr std::chrono::seconds longest_standstill{300};
constexpr std::chrono::milliseconds after_reward_wait{soak_reward_wait + 2'000};
constexpr std::size_t most_checked_at_once = 8192;

double seconds_between(SoakTime begin, SoakTime end) { return std::chrono::duration<double>(end - begin).count(); }

class Soak {
 public:
  Soak(const SoakSettings& settings, const std::atomic<bool>& interrupted,
       const std::function<void(const std::string&)>& progress)
      : settings_(settings),
        interrupted_(interrupted),
        progress_(progress),
        service_({settings.parties, settings.arms, settings.decisions}),
        ledger_(settings_, figures_),
        kills_(settings_.seed, settings_.decisions, settings_.kills, victims()) {
    make_lanes();
  }

  SoakFigures run() {
    play();
    drain();
    figures_.seconds = seconds_between(begin_, net::Clock::now());
    ledger_.count();
    check_all();
    for (const CallLane* lane : lanes()) figures_.silent += lane->silent();
    service_.end();
    check_model();
    return std::move(figures_);
  }

 private:
  [[nodiscard]] std::vector<std::string> victims() const {
    if (settings_.roles.empty()) return service_.roles();
    for (const std::string& role : settings_.roles) {
      const auto& all = service_.roles();
      if (std::find(all.begin(), all.end(), role) != all.end()) continue;
      throw InputError("--roles", fmt::format("there is no role {}: expected one of {}", role, fmt::join(all, ", ")));
    }
    return settings_.roles;
  }

  void make_lanes() {
    for (std::size_t party = 0; party < settings_.parties; ++party) {
      parties_.push_back(std::make_unique<CallLane>(
          io_, service_.address(fmt::format("party_{}", party)), CallLane::Path{"/v1/features:batch"},
          [this, party](const SoakCall& call) { return features_line(ledger_.fate(call.event), party, step_of(call)); },
          [this](const SoakCall& call, const json& answer) { hear_push(call, answer); }));
    }
    const ListenAt actor = service_.address("actor");
    asks_ = std::make_unique<CallLane>(
        io_, actor, CallLane::Path{"/v1/decisions:batch", 256, 8},
        [this](const SoakCall& call) { return request_line(ledger_.fate(call.event)); },
        [this](const SoakCall& call, const json& answer) { hear_decision(call, answer); });
    activations_ = std::make_unique<CallLane>(
        io_, actor, CallLane::Path{"/v1/events/{}/activate", 1, 4},
        [this](const SoakCall& call) { return event_text(ledger_.fate(call.event).id); },
        [this](const SoakCall& call, const json& answer) { hear_activation(call, answer); });
    rewards_ = std::make_unique<CallLane>(
        io_, service_.address("rewarder"), CallLane::Path{"/v1/rewards:batch"},
        [this](const SoakCall& call) { return reward_line(ledger_.fate(call.event), step_of(call)); },
        [this](const SoakCall& call, const json& answer) { hear_reward(call, answer); });
  }

  void begin_event() {
    const std::uint64_t event = begun_++;
    AnsweredEvent& event_record = ledger_.at(event);
    const EventFate fate = ledger_.fate(event);
    for (std::size_t party = 0; party < settings_.parties; ++party) {
      if (!fate.pushed[party]) continue;
      ++event_record.pushes_left;
      parties_[party]->put(call_of(event, SoakStep::first));
    }
    if (event_record.pushes_left == 0) ask(event);
  }

  void ask(std::uint64_t event) {
    asked_at_[event] = net::Clock::now();
    asks_->put(call_of(event, SoakStep::first));
  }

  void hear_push(const SoakCall& call, const json& answer) {
    if (step_of(call) == SoakStep::check_other) {
      count_check(ledger_.expect("features that differ", call.event, answer, {409}));
    } else if (ledger_.expect("features", call.event, answer, {204}) && --ledger_.at(call.event).pushes_left == 0) {
      ask(call.event);
    }
  }

  void hear_decision(const SoakCall& call, const json& answer) {
    const bool is_right = ledger_.take_decision(call.event, answer);
    if (step_of(call) == SoakStep::check) return count_check(is_right);
    if (step_of(call) == SoakStep::again) return;
    const SoakTime now = net::Clock::now();
    note_silence(now);
    ++decided_count_;
    const auto asked = asked_at_.extract(call.event);
    if (!is_right) return;
    const EventFate fate = ledger_.fate(call.event);
    if (fate.asked_again) asks_->put(call_of(call.event, SoakStep::again));
    if (ledger_.at(call.event).state != AnsweredEvent::State::decided) return;
    // The actor may have stored the event before the call was repeated. In this case, the repeated call activates the
    // event. The activation is early enough if all calls together took less than the time for which rewards are
    // awaited.
    const bool is_quick = now - asked.mapped() < std::chrono::milliseconds(soak_reward_wait);
    ledger_.at(call.event).active = fate.activated && is_quick;
    if (fate.activated_later || (fate.activated && !is_quick)) activations_->put(call_of(call.event, SoakStep::first));
    if (fate.reward == RewardFate::never) return;
    const bool is_late = fate.reward == RewardFate::late;
    rewards_->put(call_of(call.event, SoakStep::first), is_late ? now + after_reward_wait : SoakTime{});
  }

  void hear_activation(const SoakCall& call, const json& answer) {
    if (!ledger_.expect("an activation", call.event, answer, {204, 410})) return;
    ledger_.at(call.event).active = answer["status"] == 204;
  }

  void hear_reward(const SoakCall& call, const json& answer) {
    const EventFate fate = ledger_.fate(call.event);
    switch (step_of(call)) {
      case SoakStep::first:
        if (!ledger_.expect("a reward", call.event, answer, {204, 410})) return;
        ledger_.at(call.event).rewarded = answer["status"] == 204;
        if (answer["status"] == 410) ++figures_.late_rewards;
        if (answer["status"] == 410) return;
        if (fate.reward == RewardFate::twice) rewards_->put(call_of(call.event, SoakStep::again));
        if (fate.reward == RewardFate::conflict) rewards_->put(call_of(call.event, SoakStep::other));
        return;
      case SoakStep::again:
        (void)ledger_.expect("the same reward", call.event, answer, {204});
        return;
      case SoakStep::other:
        (void)ledger_.expect("another reward", call.event, answer, {409});
        return;
      case SoakStep::check:
        return count_check(
            ledger_.expect("the same reward", call.event, answer, {ledger_.at(call.event).rewarded ? 204 : 410}));
      case SoakStep::check_other:
        return count_check(ledger_.expect("another reward", call.event, answer, {409}));
    }
  }

  [[nodiscard]] std::vector<CallLane*> lanes() const {
    std::vector<CallLane*> all{asks_.get(), activations_.get(), rewards_.get()};
    for (const auto& party : parties_) all.push_back(party.get());
    return all;
  }
  [[nodiscard]] std::size_t open_calls() const {
    std::size_t open = 0;
    for (const CallLane* lane : lanes()) open += lane->open();
    return open;
  }

  void turn(const char* doing, std::uint64_t done, std::uint64_t of) {
    io_.run_for(a_turn);
    service_.look();
    for (CallLane* lane : lanes()) lane->proceed();
    const SoakTime now = net::Clock::now();
    if (done != last_done_) {
      last_done_ = done;
      went_on_ = now;
    }
    if (now - went_on_ > longest_standstill) throw standstill(doing);
    if (now - shown_ < std::chrono::seconds(1)) return;
    shown_ = now;
    std::string open;
    for (const CallLane* lane : lanes()) open += fmt::format(" {}", lane->open());
    progress_(fmt::format("{}: {} of {}, {} kills, {:.0f} s, open calls{}", doing, done, of, figures_.kills,
                          seconds_between(begin_, now), open));
  }

  void play() {
    begin_ = went_on_ = last_told_ = net::Clock::now();
    const auto kills = [this] { return !interrupted_ && kills_.is_due(decided_count_); };
    while (decided_count_ < decisions_ || open_calls() > 0 || !away_.empty() || kills()) {
      if (interrupted_) decisions_ = begun_;
      while (begun_ < decisions_ && begun_ - decided_count_ < settings_.on_their_way) begin_event();
      start_again(net::Clock::now());
      if (kills()) kill();
      const bool all_decided = decided_count_ == decisions_;
      turn(all_decided ? "rewards" : "decided", all_decided ? rewards_->answered() : decided_count_, decisions_);
    }
  }

  void kill() {
    const std::vector<std::string> victims =
        kills_.take([this](const std::string& role) { return service_.runs(role); });
    for (const std::string& role : victims) service_.kill(role);
    for (const std::string& role : victims) away_.emplace(net::Clock::now() + kills_.away(), role);
    figures_.kills += victims.size();
    figures_.pairs += victims.size() > 1 ? 1 : 0;
  }

  void start_again(SoakTime now) {
    while (!away_.empty() && away_.begin()->first <= now) {
      service_.start(away_.begin()->second);
      away_.erase(away_.begin());
    }
  }

  void note_silence(SoakTime now) {
    figures_.longest_silence = std::max(figures_.longest_silence, seconds_between(last_told_, now));
    last_told_ = now;
  }

  json ask_once(const std::string& role, const std::string& method, const std::string& path) {
    HttpClient client(io_, {service_.address(role)});
    std::optional<HttpResult> result;
    const SoakTime end = net::Clock::now() + longest_standstill;
    for (;;) {
      result.reset();
      client.ask(method, path, "", "", end, [&](HttpResult&& come) { result = std::move(come); });
      while (!result) io_.run_for(a_turn);
      if (result->failure.empty() && result->status == 200) return json::parse(result->body);
      if (net::Clock::now() > end) {
        throw Error(ExitCode::internal, fmt::format("{} of {} is answered {} {}{}", path, role, result->status,
                                                    result->body, result->failure));
      }
      io_.run_for(std::chrono::milliseconds(100));
    }
  }

  void drain() {
    (void)ask_once("actor", "POST", "/v1/drain");
    json status = ask_once("actor", "GET", "/v1/status");
    while (status["pending"] != 0) {
      turn("to be learned", status["pending"], decisions_);
      status = ask_once("actor", "GET", "/v1/status");
    }
    figures_.epochs = status["epoch"];
    figures_.numbers = status["number"];
    for (const CallLane* lane : lanes()) {
      figures_.calls += lane->answered();
      figures_.calls_again += lane->again();
    }
  }

  void count_check(bool is_right) { figures_.checked += is_right ? 1 : 0; }

  void check_event(std::uint64_t event) {
    const AnsweredEvent& event_record = ledger_.at(event);
    asks_->put(call_of(event, SoakStep::check));
    if (event_record.state != AnsweredEvent::State::decided) return;
    for (const auto& party : parties_) party->put(call_of(event, SoakStep::check_other));
    rewards_->put(call_of(event, SoakStep::check));
    if (event_record.rewarded) rewards_->put(call_of(event, SoakStep::check_other));
  }

  void check_all() {
    for (std::uint64_t event = 0; event < decisions_ || open_calls() > 0;) {
      while (event < decisions_ && open_calls() < most_checked_at_once) check_event(event++);
      turn("checked", figures_.checked, decisions_);
    }
  }

  void check_model() {
    const ModelWords model = service_.model();
    const ModelWords expected = ledger_.expected(service_.plan());
    figures_.model_is_right = model.gram == expected.gram && model.targets == expected.targets;
  }

  Error standstill(const char* doing) {
    std::string said;
    for (const std::string& role : service_.roles()) {
      if (!service_.runs(role)) continue;
      const json status = ask_once(role, "GET", "/v1/status");
      said += fmt::format("; {}: {} ({})", role, status.value("state", ""), status.value("why", ""));
    }
    return Error(ExitCode::internal, fmt::format("nothing has gone on for five minutes, {}{}", doing, said));
  }

  const SoakSettings& settings_;
  const std::atomic<bool>& interrupted_;
  const std::function<void(const std::string&)>& progress_;
  net::Io io_;
  SoakService service_;
  SoakFigures figures_;
  SoakLedger ledger_;
  KillPlan kills_;
  std::vector<std::unique_ptr<CallLane>> parties_;
  std::unique_ptr<CallLane> asks_, activations_, rewards_;
  std::multimap<SoakTime, std::string> away_;
  std::unordered_map<std::uint64_t, SoakTime> asked_at_;
  std::uint64_t decisions_ = settings_.decisions;
  std::uint64_t begun_ = 0;
  std::uint64_t decided_count_ = 0;
  SoakTime begin_, last_told_, went_on_, shown_;
  std::uint64_t last_done_ = 0;
};

FigureTable soaked_events(const SoakFigures& figures) {
  FigureTable table("events", "Events",
                    "decided; baselines: told the baseline; missing_rows: default rows; learned; not_activated: not "
                    "activated; rewards: rewards learned; late_rewards: late rewards");
  table.add({figures.decided, figures.baselines, figures.missing_rows, figures.learned, figures.not_activated,
             figures.rewards, figures.late_rewards});
  return table;
}

FigureTable soaked_roles(const SoakFigures& figures) {
  FigureTable table("service", "The service",
                    "kills; pairs: of two at once; epochs; numbers; seconds: time, s; decisions_per_second: decisions "
                    "a second; longest_silence_s: longest time without a decision, s");
  const double decisions = static_cast<double>(figures.decided + figures.baselines);
  table.add({figures.kills, figures.pairs, figures.epochs, figures.numbers, figures.seconds,
             figures.seconds > 0 ? decisions / figures.seconds : 0, figures.longest_silence});
  return table;
}

FigureTable soaked_calls(const SoakFigures& figures) {
  FigureTable table("calls", "Calls",
                    "answered; again: repeated until answered; silent: not answered in a minute; checked: right at the "
                    "end; wrong; model_is_right: the model is that of what was learned");
  table.add(
      {figures.calls, figures.calls_again, figures.silent, figures.checked, figures.wrong, figures.model_is_right});
  for (const std::string& fault : figures.faults) table.note("Wrong: " + fault);
  return table;
}

struct SoakArguments {
  SoakSettings settings;
  LabOutput output;
};

void soak(const SoakArguments& arguments) {
  catch_interrupts();
  check_out_file(arguments.output.out, arguments.output.overwrite);
  const SoakSettings& settings = arguments.settings;
  Page page{"soak",
            "A decision service whose roles are killed",
            fmt::format("A decision service of {} with three columns each, and {}; each role a process on this "
                        "machine, and a client that speaks HTTP: {}, {} by SIGKILL.",
                        counted(settings.parties, "party"), counted(settings.arms, "arm"),
                        counted(settings.decisions, "decision"), counted(settings.kills, "kill")),
            take_provenance(),
            {}};
  const SoakFigures figures = Soak(settings, interrupted(), show_progress).run();
  page.tables = {soaked_events(figures), soaked_roles(figures), soaked_calls(figures)};
  if (figures.passed()) return show(page, arguments.output);
  std::string verdict = "the model is not that of what was told and rewarded";
  if (figures.wrong > 0) verdict = counted(figures.wrong, "wrong answer");
  if (!arguments.output.json) show(page, arguments.output);
  throw FailedRun(figures_off, verdict, to_json(page));
}

}  // namespace

void add_soak_command(Command& app) {
  Command* command = app.add_subcommand("soak", "Run a decision service whose roles are killed at random");
  const auto arguments = std::make_shared<SoakArguments>();
  SoakSettings& settings = arguments->settings;
  command->add_option("--decisions", settings.decisions, "Events that are asked", whole(1, 100'000'000));
  command->add_option("--kills", settings.kills, "Roles that are killed by SIGKILL, some of them two at once",
                      whole(0, 1'000'000));
  command->add_option("--seed", settings.seed, "Of what happens to events, and of who is killed when", whole());
  command->add_option("--parties", settings.parties, "Compute parties, 2 to 8", whole(2, max_parties));
  command->add_option("--arms", settings.arms, "Arms", whole(2, 64));
  command->add_option("--at-once", settings.on_their_way, "Events that are asked at once, and not told",
                      whole(1, 8192));
  command
      ->add_option("--roles", settings.roles,
                   "Roles that are killed: party_0, party_1, ..., actor, rewarder, dealer; all unless given")
      ->separated_by(',');
  add_output_options(*command, arguments->output);
  command->footer(
      "All roles run on this machine, in a folder for temporary files that is removed at the end.\n"
      "Ctrl-C begins no more events, and checks those that there are; a second one ends at once.\n"
      "Examples:\n"
      "  sotto-lab soak\n"
      "  sotto-lab soak --decisions 1000000 --kills 500 --out soak.md\n"
      "  sotto-lab soak --roles actor,dealer --json");
  command->callback([arguments] { soak(*arguments); });
}

}  // namespace sotto::apps::lab
