#include "sotto/apps/bandit/report/html_sections.h"

#include <fmt/format.h>

#include <algorithm>

#include "sotto/apps/bandit/report/text.h"
#include "sotto/apps/kit/report/markup.h"
#include "sotto/apps/kit/report/run_page.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

constexpr const char* cost_note =
    R"(Sent: headers and payload that one party sends to all others, for the party that sends most.
Dealt: what the dealer sends to the last party; the other parties expand a seed.)";

constexpr const char* step_note =
    R"(A round is one exchange of messages between all parties. How many a step takes does not depend
on the data, nor on how many parties there are.)";

constexpr const char* dealer_box =
    R"(<b>dealer</b><span>deals masks and exploration coins ahead; sees no data</span>)";

constexpr const char* shared_computation =
    R"(<b>the shared computation</b><span>what passes between the parties looks uniformly random to
each of them: shares, and values under one-time masks</span>)";

constexpr const char* comparison_text =
    R"(<p>Fed the same contexts, arms and rewards, a double-precision twin would have played the same
arm greedily in <strong>{:.2f}%</strong> of the steps; exploration alone leads one to expect {:.2f}%.
Of the {} other steps, {} were near ties (scores within {:g}).)";

std::string bar(double value, double largest) {
  const double percent = largest > 0 ? 100 * value / largest : 0;
  return fmt::format(R"(<div class="bar" aria-hidden="true"><i style="width:{:.1f}%"></i></div>)",
                     percent);
}

std::string number(const std::string& text) { return element("td", "number", text); }
std::string row_head(const std::string& markup) { return R"(<th scope="row">)" + markup + "</th>"; }

template <typename Item, typename Member>
double largest_of(const std::vector<Item>& items, Member member) {
  double largest = 0;
  for (const Item& item : items) largest = std::max(largest, member(item));
  return largest;
}

std::string phase_row(const PhaseCost& phase, double largest) {
  return element("tr", "",
                 row_head(escape_html(phase.name)) +
                     element("td", "bar-cell optional", bar(phase.seconds, largest)) +
                     number(human_seconds(phase.seconds)) + number(human_count(phase.rounds)) +
                     number(human_bytes(phase.bytes)) + number(human_bytes(phase.dealt_bytes)));
}

std::string round_row(const RoundCost& round, double largest, bool timed) {
  std::string labels;
  for (const std::string& label : round.labels)
    labels += (labels.empty() ? "" : " · ") + escape_html(label);
  std::string cells = row_head(std::to_string(round.round)) + element("td", "", labels) +
                      element("td", "bar-cell optional", bar(round.bytes, largest)) +
                      number(human_bytes(round.bytes));
  if (timed) cells += number(round.seconds ? human_seconds(*round.seconds) : "");
  return element("tr", "", cells);
}

std::string list_of(const std::vector<std::string>& items, std::string_view css_class) {
  std::string list;
  for (const std::string& item : items) list += element("li", css_class, escape_html(item));
  return element("ul", "", list);
}

bool same_view(const RoleView& one, const RoleView& other) {
  return one.learns == other.learns && one.never_sees == other.never_sees;
}

bool is_outside_role(const std::string& role) {
  return role.starts_with("actor") || role.starts_with("rewarder");
}

// Features -> shared computation -> arm and reward, the dealer above the computation.
std::string flow(const BanditResult& result) {
  std::string parties, outside;
  for (const PartyInput& input : result.inputs) {
    parties +=
        element("div", "box",
                element("b", "", escape_html(input.name)) +
                    fmt::format("<span>{} in {}, which stay here</span>",
                                counted(input.features, "feature"), escape_html(input.file)));
  }
  for (const RoleView& view : result.views) {
    if (!is_outside_role(view.role)) continue;
    std::string learns;
    for (const std::string& item : view.learns)
      learns += (learns.empty() ? "" : ", ") + escape_html(item);
    outside += element(
        "div", "box",
        element("b", "", escape_html(view.role)) + element("span", "", "learns only " + learns));
  }
  const auto arrow =
      R"(<div class="arrow" data-wide="&rarr;" data-narrow="&darr;" aria-hidden="true"></div>)";
  const std::string core =
      element("div", "box dealer", dealer_box) + element("div", "box core", shared_computation);
  return element("div", "flow",
                 element("div", "stack", parties) + arrow + element("div", "stack joined", core) +
                     arrow + element("div", "stack", outside));
}

std::string inputs_table(const BanditResult& result) {
  std::string rows;
  for (const PartyInput& input : result.inputs) {
    rows += element(
        "tr", "",
        row_head(escape_html(input.name)) + element("td", "file", escape_html(input.file)) +
            number(std::to_string(input.features)) + number(fmt::format("{:g}", input.max_norm)));
  }
  if (!result.environment.empty()) {
    rows +=
        element("tr", "",
                row_head("environment") + element("td", "file", escape_html(result.environment)) +
                    number("") + number(""));
  }
  if (rows.empty()) return {};
  const std::string head =
      R"(<thead><tr><th scope="col">Input</th><th scope="col">File</th><th scope="col" class="number">Features</th>)"
      R"(<th scope="col" class="number">Norm bound</th></tr></thead>)";
  return element("div", "scroll", element("table", "", head + element("tbody", "", rows)));
}

}  // namespace

std::string cost_section(const BanditResult& result) {
  if (result.phases.empty()) return {};
  const double largest =
      largest_of(result.phases, [](const PhaseCost& phase) { return phase.seconds; });
  PhaseCost total;
  std::string rows;
  for (const PhaseCost& phase : result.phases) {
    rows += phase_row(phase, largest);
    total.seconds += phase.seconds;
    total.rounds += phase.rounds;
    total.bytes += phase.bytes;
    total.dealt_bytes += phase.dealt_bytes;
  }
  const std::string foot =
      element("tr", "",
              row_head("all") + element("td", "optional", "") +
                  number(human_seconds(total.seconds)) + number(human_count(total.rounds)) +
                  number(human_bytes(total.bytes)) + number(human_bytes(total.dealt_bytes)));
  const std::string head =
      R"(<thead><tr><th scope="col">Phase</th><th scope="col" class="bar-cell optional"></th><th scope="col" class="number">Time</th>)"
      R"(<th scope="col" class="number">Rounds</th><th scope="col" class="number">Sent</th>)"
      R"(<th scope="col" class="number">Dealt</th></tr></thead>)";
  return titled_section(
      "Where the time went",
      element("p", "note", cost_note) +
          element("div", "scroll",
                  element("table", "",
                          head + element("tbody", "", rows) + element("tfoot", "", foot))));
}

std::string step_section(const BanditResult& result) {
  if (result.step_rounds.empty()) return {};
  const double largest =
      largest_of(result.step_rounds, [](const RoundCost& round) { return round.bytes; });
  const bool timed = std::any_of(result.step_rounds.begin(), result.step_rounds.end(),
                                 [](const RoundCost& round) { return round.seconds.has_value(); });
  std::string rows;
  for (const RoundCost& round : result.step_rounds) rows += round_row(round, largest, timed);
  std::string head =
      R"(<tr><th scope="col">Round</th><th scope="col">What is exchanged, all at once</th>)"
      R"(<th scope="col" class="bar-cell optional"></th><th scope="col" class="number">Sent</th>)";
  if (timed) head += R"(<th scope="col" class="number">Time</th>)";
  return titled_section(
      "One step, round by round",
      element("p", "note", step_note) +
          element("div", "scroll",
                  element("table", "",
                          element("thead", "", head + "</tr>") + element("tbody", "", rows))));
}

std::string views_section(const BanditResult& result) {
  if (result.views.empty()) return {};
  std::string rows;
  for (auto view = result.views.begin(); view != result.views.end();) {
    // Roles that see the same, as the compute parties do, share a row.
    std::string names = escape_html(view->role);
    auto next = view + 1;
    for (; next != result.views.end() && same_view(*view, *next); ++next)
      names += "<br>" + escape_html(next->role);
    rows += element("tr", "",
                    row_head(names) + element("td", "", list_of(view->learns, "sees")) +
                        element("td", "", list_of(view->never_sees, "blind")));
    view = next;
  }
  const std::string head =
      R"(<thead><tr><th scope="col">Role</th><th scope="col">Learns</th><th scope="col">Never sees</th></tr></thead>)";
  return titled_section(
      "Who saw what", flow(result) + element("table", "views", head + element("tbody", "", rows)));
}

std::string comparison_section(const BanditResult& result) {
  if (!result.compare_plaintext) return {};
  const PlaintextComparison& comparison = *result.compare_plaintext;
  const std::uint64_t different = comparison.steps - comparison.agreeing_steps;
  std::string text =
      fmt::format(comparison_text, 100 * comparison.agreement, 100 * comparison.expected_agreement,
                  human_count(static_cast<double>(different)),
                  human_count(static_cast<double>(comparison.near_ties)), comparison.near_tie_gap);
  if (comparison.largest_weight_difference) {
    text += fmt::format(" At the end, no weight differs by more than <strong>{:.1e}</strong>.",
                        *comparison.largest_weight_difference);
  }
  return titled_section("Step by step beside the plain text", text + "</p>");
}

std::string repeats_section(const BanditResult& result) {
  if (result.runs.size() < 2) return {};
  const auto cell = [](const std::map<std::string, double>& run, const char* name, auto format) {
    const auto found = run.find(name);
    return number(found == run.end() ? std::string("&ndash;") : format(found->second));
  };
  const auto reward = [](double value) { return fmt::format("{:.4f}", value); };
  const auto row = [&](const std::string& name, const std::map<std::string, double>& run) {
    return element("tr", "",
                   row_head(name) + cell(run, "average_reward", reward) +
                       cell(run, "plaintext_average_reward", reward) +
                       cell(run, "seconds_per_step", human_seconds) +
                       cell(run, "online_seconds", human_seconds) +
                       cell(run, "dealer_seconds", human_seconds));
  };
  std::string rows;
  for (std::size_t i = 0; i < result.runs.size(); ++i)
    rows += row(std::to_string(i + 1), result.runs[i]);
  const std::string head =
      R"(<thead><tr><th scope="col">Run</th><th scope="col" class="number">Average reward</th>)"
      R"(<th scope="col" class="number">Plain text</th><th scope="col" class="number">Time a step</th>)"
      R"(<th scope="col" class="number">Online</th><th scope="col" class="number">Dealer</th></tr></thead>)";
  return titled_section("The runs",
                        element("div", "scroll",
                                element("table", "",
                                        head + element("tbody", "", rows) +
                                            element("tfoot", "", row("sd", result.sd)))));
}

std::string parameters_section(const BanditResult& result) {
  std::string list;
  list += parameter("steps", human_count(static_cast<double>(result.steps)));
  list += parameter("parties", std::to_string(result.parties));
  list += parameter("features", std::to_string(result.features));
  list += parameter("arms", std::to_string(result.arms));
  list += parameter("epsilon", fmt::format("{:g}", result.epsilon));
  list += parameter("norm bound", fmt::format("{:g}{}", result.max_norm,
                                              result.joint_norm_holds ? ", seen to hold" : ""));
  list += parameter("fraction bits", std::to_string(result.fraction_bits));
  list += parameter("of W<sup>&minus;1</sup>", std::to_string(result.inverse_fraction_bits));
  list += parameter("of rewards", std::to_string(result.reward_bits));
  list += parameter("comparison bits", std::to_string(result.comparison_bits));
  list += parameter("repeats", std::to_string(result.repeats));
  const std::string content = element("dl", "parameters", list) + inputs_table(result);
  return titled_section("Parameters", content + command_block(result.command));
}

}  // namespace sotto::apps
