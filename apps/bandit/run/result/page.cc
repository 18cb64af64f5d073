#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/bandit/run/result/page.h"
#include "apps/bandit/run/result/worth.h"
#include "apps/kit/files/json.h"
#include "apps/kit/report/human.h"
#include "core/text/count.h"

namespace sotto::apps::bandit::run {
namespace {

constexpr const char* cost_note =
    R"(Sent: headers and payload that one party sends to all others, for the party that sends most.
Dealt: what the dealer sends to the last party; the other parties expand a seed.)";

constexpr const char* cost_note_without_dealer =
    R"(Sent: headers and payload that one party sends to all others, for the party that sends most.
Preprocessing: the masks and coins that are made ahead of the steps. Nothing is dealt.)";

constexpr const char* step_note =
    R"(A round is one exchange of messages between all parties. The number of rounds does not depend
on the data, nor on the number of parties.)";

constexpr const char* refresh_note =
    R"(The first step shares its context in a round of its own where contexts are known a step ahead. Now and then the
inverse matrices and the weights are refreshed from exact sums, between two steps.)";

constexpr const char* batch_note =
    R"(Rounds and bytes are those of a batch of the most events, which is decided at once, and learned at once when
its rewards have come.)";

constexpr const char* comparison_text =
    R"(<p>A double-precision twin that received the same contexts, arms and rewards would have played the same
arm greedily in <strong>{:.2f}%</strong> of the steps. With exploration as the only difference, {:.2f}% is expected.
The arms differ in {} steps, and {} of these were near ties (scores within {:g}).)";

constexpr const char* emulated_note =
    R"(Every link of this run was emulated on one machine ({}): delays and rates are those of the
emulation, <strong>not of a network that was measured</strong>.)";

constexpr const char* model_note =
    R"(The model adds up the times on the critical path. These are the delay of every round, the bytes of its
largest frame divided by the rate, the mean jitter, and the time that the roles were busy.)";

std::string in_html(const std::string& text) {
  std::string html = escape_html(text);
  for (std::size_t at = html.find("+-"); at != std::string::npos; at = html.find("+-", at)) {
    html.replace(at, 2, "&plusmn;");
  }
  return html;
}

std::string reward(double value) { return fmt::format("{:.4f}", value); }

std::string in_words(std::size_t count) {
  constexpr const char* words[] = {"One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight"};
  return count >= 1 && count <= 8 ? words[count - 1] : std::to_string(count);
}

std::string who_chose(const BanditResult& result) {
  if (result.owners == 0 && result.computing_only == 0) return in_words(result.parties) + " parties";
  return fmt::format("{} of features",
                     in_words(result.inputs.size()) + (result.inputs.size() == 1 ? " owner" : " owners"));
}

std::string verdict(const BanditResult& result) {
  if (result.status == RunStatus::failed || !result.average_reward) {
    return "The run did not complete; what follows is no result.";
  }
  if (result.log) return in_html(log_verdict(result));
  const std::optional<Worth> worth = worth_of(result);
  std::string text = in_html(worth->sentence);
  if (const std::string money = money_sentence(result, *worth); !money.empty()) text += " " + in_html(money);
  text += fmt::format(" {} chose among {}.", who_chose(result), counted(result.arms, "arm"));
  if (result.insecure.empty()) text += " Nobody among them saw another&rsquo;s features, the arms or the rewards.";
  return text;
}

std::string twin_remark(const BanditResult& result) {
  if (result.plaintext_plays < 2) return "same algorithm, own randomness";
  return plays_text(result.plaintext_plays, result.sd.at("plaintext_average_reward"));
}

std::string sd_of(const BanditResult& result, const char* name) {
  const auto found = result.sd.find(name);
  return found == result.sd.end() ? "" : fmt::format("sd {:.4f} over {} runs", found->second, result.repeats);
}

std::string whole_run(const std::optional<double>& a_step, const BanditResult& result) {
  return a_step ? fmt::format("{} in the run", human_bytes(*a_step * static_cast<double>(result.steps))) : "";
}

Tile made_ahead_tile(const BanditResult& result) {
  const bool dealt = result.preprocessing == RandomnessBy::dealer;
  const std::optional<double>& bytes = dealt ? result.dealt_bytes_per_step : result.preprocessing_bytes_per_step;
  return {fmt::format("{} {}", dealt ? "Dealt" : "Made ahead", result.a_step()), figure_of(bytes, human_bytes),
          whole_run(bytes, result)};
}

std::vector<Tile> tiles(const BanditResult& result) {
  if (result.log) return log_tiles(result);
  const auto eta = [](double value) { return fmt::format("{:.2f}", value); };
  const bool bounded = result.eta_per_action.exact.has_value();
  std::string baseline = sd_of(result, "average_reward");
  if (baseline.empty() && result.uniform_average_reward) {
    baseline = fmt::format("uniform play {:.3f}", *result.uniform_average_reward);
  }
  std::string speed;
  if (result.seconds_per_step && *result.seconds_per_step > 0) {
    speed = fmt::format(
        "{} a second, {}",
        human_count(static_cast<std::uint64_t>(std::round(1 / *result.seconds_per_step)), result.step_word()),
        result.link ? "on emulated links" : "all together");
  }
  const std::optional<double>& composed = result.eta_composed.optimal;
  return {{"Average reward", figure_of(result.average_reward, reward), baseline},
          {"Plain-text twin", figure_of(result.plaintext_average_reward, reward), twin_remark(result)},
          {"Privacy of one arm, &eta;", bounded ? eta(*result.eta_per_action.exact) : "unbounded",
           bounded ? fmt::format("at most log(A/&epsilon;) = {:.2f}", *result.eta_per_action.paper)
                   : "&epsilon; is 0: arms are not random"},
          {"Privacy of the run, &eta;", composed ? human_eta(*composed) : "unbounded",
           composed ? fmt::format("composed, at &delta; = {}{}", scientific_html(result.eta_composed.delta),
                                  is_vacuous(*composed) ? ": vacuous" : "")
                    : "composed"},
          {fmt::format("Time {}", result.a_step()), figure_of(result.seconds_per_step, human_seconds), speed},
          {fmt::format("Rounds {}", result.a_step()),
           figure_of(result.rounds_per_step, [](double v) { return fmt::format("{:.4g}", v); }),
           result.rounds_per_step
               ? fmt::format("{} in the run", human_count(*result.rounds_per_step * static_cast<double>(result.steps)))
               : ""},
          {fmt::format("Sent {}", result.a_step()), figure_of(result.bytes_per_step, human_bytes),
           whole_run(result.bytes_per_step, result)},
          made_ahead_tile(result)};
}

PageSection reward_section(const BanditResult& result) {
  if (result.reward_curve.empty() || result.evaluation) return {};
  if (result.log) {
    const LineChart chart =
        reward_chart("Average reward of the log so far by event", {series_of("private", "log", result.reward_curve)});
    return {"Rewards of the log", chart_figure(chart, "The mean of the logged rewards of all events so far.")};
  }
  LineChart chart = reward_chart("Average reward so far by step, private run and plain-text twin",
                                 {series_of("private", "private run", result.reward_curve),
                                  series_of("plaintext", "plain-text twin", result.plaintext_curve)});
  for (ChartSeries& series : series_of_companies(result)) chart.series.push_back(std::move(series));
  if (result.uniform_average_reward) chart.baselines.push_back({"uniform play", *result.uniform_average_reward});
  if (result.best_average_reward) chart.baselines.push_back({"always the best arm", *result.best_average_reward});
  std::string caption =
      "The mean of the rewards of all steps so far. The twin runs the same algorithm in double precision on the open "
      "data, with its own coins: the curves should agree, not be equal.";
  if (!result.parts.empty()) caption += " It also plays the features of each company by themselves.";
  if (result.plaintext_plays > 1) caption += " Shaded: one standard deviation of one play of the twin";
  if (result.plaintext_plays > 1) caption += result.repeats > 1 ? ", and of one private run." : ".";
  return {"Rewards", chart_figure(chart, caption)};
}

PageSection comparison_section(const BanditResult& result) {
  if (!result.compare_plaintext) return {};
  const PlaintextComparison& comparison = *result.compare_plaintext;
  const std::uint64_t different = comparison.steps - comparison.agreeing_steps;
  std::string text = fmt::format(comparison_text, 100 * comparison.agreement, 100 * comparison.expected_agreement,
                                 human_count(static_cast<double>(different)),
                                 human_count(static_cast<double>(comparison.near_ties)), comparison.near_tie_gap);
  if (comparison.largest_weight_difference) {
    text += fmt::format(" At the end, no weight differs by more than <strong>{:.1e}</strong>.",
                        *comparison.largest_weight_difference);
  }
  return {"Comparison with the plain text, step by step", text + "</p>"};
}

PageSection repeats_section(const BanditResult& result) {
  if (result.runs.size() < 2) return {};
  const auto row = [](const std::string& name, const std::map<std::string, double>& run) {
    const auto cell = [&](const char* key, auto format) {
      const auto found = run.find(key);
      return found == run.end() ? std::string("&ndash;") : format(found->second);
    };
    return std::vector<std::string>{name, cell("average_reward", reward), cell("seconds_per_step", human_seconds),
                                    cell("online_seconds", human_seconds), cell("dealer_seconds", human_seconds)};
  };
  PageTable table{{{"Run", ""}, {"Average reward"}, {"Time a step"}, {"Online"}, {"Dealer"}}};
  for (const auto& run : result.runs) {
    table.rows.push_back(row(std::to_string(table.rows.size() + 1), run));
  }
  table.foot = {row("sd", result.sd)};
  return {"The runs", to_html(table)};
}

PageSection link_section(const BanditResult& result) {
  if (!result.link) return {};
  std::string content = paragraph(fmt::format(emulated_note, escape_html(net::describe(*result.link))));
  if (result.link_model) {
    const LinkModel& model = *result.link_model;
    content += note(model_note);
    content += to_html(PageTable{{{"", ""}, {""}},
                                 {{"rounds &times; delay", human_seconds(model.delay)},
                                  {"bytes / rate", human_seconds(model.transfer)},
                                  {"jitter", human_seconds(model.jitter)},
                                  {"arithmetic", human_seconds(model.arithmetic)}},
                                 {{"model", human_seconds(model.total())},
                                  {"measured", human_seconds(model.measured)},
                                  {"error of the model", fmt::format("{:+.1f}%", model.error_percent())}}});
  }
  return {fmt::format("{} on emulated links", result.batches ? "An event" : "A step"), content};
}

std::string bar(double value, double largest) {
  return fmt::format(R"(<div class="bar" aria-hidden="true"><i style="width:{:.1f}%"></i></div>)",
                     largest > 0 ? 100 * value / largest : 0);
}

template <typename Item>
double largest_of(const std::vector<Item>& items, double Item::*member) {
  double largest = 0;
  for (const Item& item : items) largest = std::max(largest, item.*member);
  return largest;
}

PageSection cost_section(const BanditResult& result) {
  if (result.phases.empty()) return {};
  const double largest = largest_of(result.phases, &PhaseCost::seconds);
  const auto row = [](const PhaseCost& phase, const std::string& drawn) {
    return std::vector<std::string>{escape_html(phase.name),      drawn,
                                    human_seconds(phase.seconds), human_count(phase.rounds),
                                    human_bytes(phase.bytes),     human_bytes(phase.dealt_bytes)};
  };
  PageTable table{{{"Phase", ""}, {"", "bar-cell optional"}, {"Time"}, {"Rounds"}, {"Sent"}, {"Dealt"}}};
  PhaseCost total{"all", 0, 0, 0, 0};
  for (const PhaseCost& phase : result.phases) {
    table.rows.push_back(row(phase, bar(phase.seconds, largest)));
    total.seconds += phase.seconds;
    total.rounds += phase.rounds;
    total.bytes += phase.bytes;
    total.dealt_bytes += phase.dealt_bytes;
  }
  table.foot = {row(total, "")};
  const char* text = result.preprocessing == RandomnessBy::dealer ? cost_note : cost_note_without_dealer;
  return {"Where the time went", note(text) + to_html(table)};
}

PageSection step_section(const BanditResult& result) {
  if (result.step_rounds.empty()) return {};
  const double largest = largest_of(result.step_rounds, &RoundCost::bytes);
  const bool timed = std::any_of(result.step_rounds.begin(), result.step_rounds.end(),
                                 [](const RoundCost& round) { return round.seconds.has_value(); });
  PageTable table{{{"Round", ""}, {"Values exchanged, all at once", ""}, {"", "bar-cell optional"}, {"Sent"}}};
  if (timed) table.columns.push_back({"Time"});
  for (const RoundCost& round : result.step_rounds) {
    table.rows.push_back({fmt::format("{}{}", round.phase ? escape_html(*round.phase) + " " : "", round.round),
                          escape_html(fmt::format("{}", fmt::join(round.labels, " · "))), bar(round.bytes, largest),
                          human_bytes(round.bytes)});
    if (timed) table.rows.back().push_back(round.seconds ? human_seconds(*round.seconds) : "");
  }
  if (!result.batches) return {"One step, round by round", note(step_note) + note(refresh_note) + to_html(table)};
  return {fmt::format("A batch of {}, round by round", human_count(result.batch, "event")),
          note(batch_note) + note(step_note) + to_html(table)};
}

PageSection parameters_section(const BanditResult& result) {
  std::vector<std::pair<std::string, std::string>> rows{
      {fmt::format("{}s", result.step_word()), human_count(static_cast<double>(result.steps))},
      {"parties", result.computing_only == 0
                      ? std::to_string(result.parties)
                      : fmt::format("{}, {} of them only to compute", result.parties, result.computing_only)},
      {"features", std::to_string(result.features)},
      {"arms", std::to_string(result.arms)},
      {"epsilon", fmt::format("{:g}", result.epsilon)},
      {"norm bound", fmt::format("{:g}{}", result.max_norm, result.joint_norm_holds ? ", seen to hold" : "")},
      {"fraction bits", std::to_string(result.fraction_bits)},
      {"of W<sup>&minus;1</sup>", std::to_string(result.inverse_fraction_bits)},
      {"of rewards", std::to_string(result.reward_bits)},
      {"comparison bits", std::to_string(result.comparison_bits)},
      {"repeats", std::to_string(result.repeats)}};
  if (result.owners > 0) rows.insert(rows.begin() + 2, {"owners", std::to_string(result.owners)});
  if (result.batches) {
    const BatchPlan& plan = *result.batches;
    rows.insert(rows.end(),
                {{"of weights", std::to_string(plan.weight_bits)},
                 {"table of step lengths", fmt::format("2<sup>{}</sup> cells of {:g}", plan.table_bits,
                                                       std::ldexp(1, -static_cast<int>(BatchPlan::cell_bits)))},
                 {"events at once", human_count(static_cast<double>(result.batch))},
                 {"rewards late by", human_count(result.reward_lag, "event")}});
  }
  if (result.single_step) {
    rows.insert(rows.end(), {{"of weights", std::to_string(result.single_step->weight_bits)},
                             {"contexts", result.contexts_ahead ? "known a step ahead" : "known when they come"},
                             {"updated by a step", result.single_step->update == StepUpdate::all_arms
                                                       ? "all arms alike"
                                                       : "the pulled arm, selected first"},
                             {"refresh", "every " + human_count(result.single_step->refresh_every, "step")}});
  }
  if (result.log) rows.push_back({"rewards divided by", fmt::format("{:g}", result.log->reward_scale)});
  if (result.from) {
    rows.push_back({"begins from", fmt::format("a model of {}, id {}", human_count(result.from->events, "event"),
                                               escape_html(result.from->id.substr(0, 16)))});
  }
  if (result.evaluation) {
    rows.push_back({"least propensity", fmt::format("{:g}", result.evaluation->least_propensity)});
  }
  return {"Parameters",
          parameter_list(rows) +
              inputs_table(result.inputs,
                           {result.log ? std::pair<std::string, std::string>{"log", result.log->file}
                                       : std::pair<std::string, std::string>{"environment", result.environment}}) +
              command_block(result.command)};
}

}  // namespace

std::string report_html(const BanditResult& result) {
  ReportPage page;
  page.title = "report of a private bandit";
  page.add_header(result);
  page.eyebrow = fmt::format("sotto &middot; {} &middot; &epsilon; = {:g}{}",
                             human_count(result.steps, result.step_word()) + batches_text(result), result.epsilon,
                             result.repeats > 1 ? fmt::format(" &middot; mean of {} runs", result.repeats) : "");
  page.heading = !result.log ? "A private bandit" : result.evaluation ? "A log, evaluated" : "A model from a log";
  if (!result.parts.empty()) page.style += parts_style();
  page.verdict = verdict(result);
  if (result.status == RunStatus::complete) {
    page.tiles = tiles(result);
    std::erase_if(page.tiles, [](const Tile& tile) { return tile.figure == no_figure; });
    page.sections = {evaluation_section(result), segments_section(result),   worth_section(result),
                     reward_section(result),     comparison_section(result), repeats_section(result)};
  }
  for (const auto section : {link_section, cost_section, step_section, views_section, randomness_section,
                             privacy_section, parameters_section}) {
    page.sections.push_back(section(result));
  }
  return to_html(page);
}

}  // namespace sotto::apps::bandit::run
