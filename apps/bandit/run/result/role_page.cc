#include "apps/bandit/run/result/role_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "apps/bandit/run/result/page.h"
#include "apps/bandit/run/result/run_facts.h"
#include "apps/bandit/run/result/views.h"
#include "apps/kit/report/dots.h"
#include "apps/kit/report/human.h"
#include "core/text/count.h"

namespace sotto::apps::bandit::run {
namespace {

constexpr const char* about_roles =
    R"(This page has only facts that this role may know (listed below). Only a simulation on one machine
(<code>sotto bandit</code>) shows what joining is worth, because no role has the data of all.)";

constexpr std::size_t most_listed = 3;

std::string steps_text(const RoleReport& report, const BanditRun& run) {
  const std::string steps = human_count(run.steps, run.in_batches() ? "event" : "step");
  return report.from_step == 0
             ? steps
             : fmt::format("{}, resumed after {}", steps, human_count(static_cast<double>(report.from_step)));
}

struct ArmShare {
  std::size_t arm = 0;
  double share = 0;
};

std::vector<ArmShare> shares_of(const RoleReport& report) {
  const auto all = std::accumulate(report.pulls.begin(), report.pulls.end(), std::uint64_t{0});
  std::vector<ArmShare> shares;
  for (std::size_t arm = 0; arm < report.pulls.size() && all > 0; ++arm) {
    shares.push_back({arm, static_cast<double>(report.pulls[arm]) / static_cast<double>(all)});
  }
  std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
  return shares;
}

std::string arms_text(const RoleReport& report) {
  const std::vector<ArmShare> shares = shares_of(report);
  std::string text;
  for (std::size_t i = 0; i < std::min(most_listed, shares.size()); ++i) {
    text += fmt::format("{}arm {} in {:.1f}%", i == 0 ? "" : ", ", shares[i].arm, 100 * shares[i].share);
  }
  if (shares.size() > most_listed) text += fmt::format(", {} more", shares.size() - most_listed);
  return text;
}

std::string data_text(const OwnData& data) {
  return fmt::format("{} of {}, norms at most {:g}", counted(data.columns, "column"), human_count(data.rows, "row"),
                     data.max_norm);
}

BanditResult as_result(const RoleReport& report, const BanditRun& run, const BanditPlan& plan,
                       const std::string& started) {
  BanditResult result = facts_of(run, plan);
  result.stamp(started);
  result.insecure = report.insecure;
  result.average_reward = report.average_reward;
  result.reward_curve = report.reward_curve;
  result.evaluation = report.evaluation;
  if (run.task != BanditTask::play) {
    result.log = LoggedRun{run.task, "", run.reward_scale};
  } else if (report.steps_begun > run.steps) {
    result.eta_composed = eta_composed(run.arms, result.epsilon, report.steps_begun);
  }
  return result;
}

PageSection own_view(const RoleReport& report, const BanditRun& run) {
  ViewOptions options = view_options(run);
  options.local_simulation = false;
  const std::vector<RoleView> views = bandit_views(options);
  const auto own = std::find_if(views.begin(), views.end(), [&](const RoleView& view) {
    return view.role == report.role || view.role.starts_with(report.role + " and") ||
           view.role.starts_with(report.role + ",");
  });
  if (own == views.end()) return {};
  PageTable table{{{"Learns", ""}, {"Never sees", ""}}};
  table.css_class = "views";
  table.rows.push_back({list_of(own->learns, "sees"), list_of(own->never_sees, "blind")});
  return {"This role&rsquo;s view", to_html(table)};
}

PageSection arms_section(const RoleReport& report) {
  const std::vector<ArmShare> shares = shares_of(report);
  if (shares.empty()) return {};
  std::vector<Dot> dots;
  dots.reserve(shares.size());
  for (const ArmShare& share : shares) dots.push_back({share.share});
  const DotScale scale = dot_scale(dots);
  PageTable table{{{"Arm", ""}, {"", "bar-cell optional"}, {"Pulled"}, {"Share"}}};
  for (const ArmShare& share : shares) {
    table.rows.push_back({fmt::format("arm {}", share.arm), dot_cell({share.share}, scale),
                          human_count(static_cast<double>(report.pulls[share.arm])),
                          fmt::format("{:.1f}%", 100 * share.share)});
  }
  return {"The arms", to_html(table)};
}

std::vector<Tile> tiles_of(const RoleReport& report, const BanditRun& run) {
  const char* const a_step = run.in_batches() ? "an event" : "a step";
  std::vector<Tile> tiles;
  if (report.average_reward) {
    tiles.push_back({"Average reward", fmt::format("{:.4f}", *report.average_reward), a_step});
  }
  if (report.data) {
    tiles.push_back({"Own columns", std::to_string(report.data->columns), escape_html(report.data->file)});
    tiles.push_back({"Own rows", human_count(static_cast<double>(report.data->rows)),
                     fmt::format("norms at most {:g}", report.data->max_norm)});
  }
  if (report.account) {
    tiles.push_back({"Charged", fmt::format("{:g}", report.account->epsilon),
                     fmt::format("to {}, most spent {:g} of {:g}", human_count(report.account->subjects, "subject"),
                                 report.account->most_spent, report.account->budget)});
  }
  tiles.push_back({"Rounds", human_count(static_cast<double>(report.rounds)), ""});
  if (report.bytes_sent > 0) tiles.push_back({"Sent", human_bytes(static_cast<double>(report.bytes_sent)), ""});
  if (report.dealt_bytes > 0) tiles.push_back({"Dealt", human_bytes(static_cast<double>(report.dealt_bytes)), ""});
  if (report.online_seconds > 0) {
    tiles.push_back({"Time online", human_seconds(report.online_seconds), "with all waiting"});
  }
  tiles.push_back({"CPU time", human_seconds(report.cpu_seconds), ""});
  return tiles;
}

PageSection rewards_section(const RoleReport& report) {
  if (report.reward_curve.empty() || report.evaluation) return {};
  return {"Rewards", chart_figure(reward_chart("Average reward so far by step",
                                               {series_of("private", "average reward", report.reward_curve)}),
                                  "The mean of the rewards of all steps so far.")};
}

}  // namespace

std::string role_result(const RoleReport& report, const BanditRun& run) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (report.average_reward) {
    add(fmt::format("{} {:.4f} over {}", run.task == BanditTask::play ? "average reward" : "the log earned",
                    *report.average_reward, steps_text(report, run)));
  }
  if (const std::string arms = arms_text(report); !arms.empty()) add(arms);
  if (report.data) add(data_text(*report.data));
  if (report.account) add(charged_text(*report.account));
  return text;
}

std::string role_page(const RoleReport& report, const BanditRun& run, const BanditPlan& plan,
                      const std::string& started) {
  const BanditResult result = as_result(report, run, plan, started);
  ReportPage page;
  page.title = "report of " + report.role;
  page.add_header(result);
  page.eyebrow = fmt::format("sotto &middot; {} &middot; {}", escape_html(report.role),
                             human_count(run.steps, result.step_word()) + batches_text(result));
  page.heading = "A private bandit, at one role";
  if (report.evaluation) {
    page.verdict = escape_html(log_verdict(result));
  } else {
    const std::string own = role_result(report, run);
    page.verdict = escape_html(own.empty() ? report.role + " learned nothing of the run but its cost."
                                           : fmt::format("{}: {}.", report.role, own));
  }
  page.about = about_roles;
  page.tiles = tiles_of(report, run);
  page.sections = {evaluation_section(result), segments_section(result), arms_section(report),
                   rewards_section(report),    own_view(report, run),    randomness_section(result)};
  page.sections.push_back(privacy_section(result));
  return to_html(page);
}

}  // namespace sotto::apps::bandit::run
