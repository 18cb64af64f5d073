#include "apps/bandit/run/result/worth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/kit/learn/interval.h"
#include "apps/kit/report/human.h"
#include "core/text/count.h"

namespace sotto::apps::bandit::run {
namespace {

MeanOf mean_of(const PlainPlays& plays) { return {plays.average_reward, plays.sd, static_cast<double>(plays.plays)}; }

MeanOf mean_of_runs(const BanditResult& result) {
  const auto sd = result.sd.find("average_reward");
  return {*result.average_reward, sd == result.sd.end() ? 0 : sd->second, static_cast<double>(result.repeats)};
}

Lift lift_over(std::string name, const MeanOf& other, const BanditResult& result) {
  const MeanOf own = mean_of_runs(result);
  Lift lift{std::move(name), other.mean, own.mean - other.mean};
  if (result.repeats > 1) lift.half_width = half_width_of_difference(own, other);
  return lift;
}

std::optional<Joining> joining_of(const BanditResult& result) {
  const auto parts = companies(result);
  if (parts.empty()) return std::nullopt;
  const PlainPlays& best = *std::max_element(
      parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.average_reward < b.average_reward; });
  const PlainPlays& all = result.parts.back();
  Joining joining{best.name, all.average_reward - best.average_reward};
  joining.half_width = half_width_of_difference(mean_of(all), mean_of(best));
  joining.shown = joining.lift > joining.half_width;
  return joining;
}

std::string lift_text(const Lift& lift) {
  const bool less = lift.lift < 0;
  const std::string interval = lift.half_width ? fmt::format(" +- {:.4f}", *lift.half_width) : "";
  return fmt::format("{:.4f}{} {} than {}", std::abs(lift.lift), interval, less ? "less" : "more", lift.over);
}

std::string listed(const std::vector<Lift>& lifts) {
  std::string text;
  for (std::size_t i = 0; i < lifts.size(); ++i) {
    text += i == 0 ? "" : i + 1 == lifts.size() ? " and " : ", ";
    text += lift_text(lifts[i]);
  }
  return text;
}

std::string earned_text(const BanditResult& result, const std::vector<Lift>& lifts) {
  std::string text = fmt::format("{} together earned {:.4f} {}", result.owners > 0 ? "The companies" : "The parties",
                                 *result.average_reward, result.a_step());
  if (result.repeats > 1) text += fmt::format(" (mean of {} runs)", result.repeats);
  if (lifts.empty()) return text + ". The rewards of other arms are not known, so there is nothing to compare.";
  return text + ": " + listed(lifts) + (result.repeats > 1 ? "; intervals are of 95%." : "; one run, no interval.");
}

std::string nothing_gained(const BanditResult& result, const Joining& joining) {
  const PlainPlays& all = result.parts.back();
  return fmt::format(
      "Joining is not shown to be worth anything: in plain text all together earn {:.4f} {}, and {} by itself earns "
      "{:.4f} (means of {}). ",
      all.average_reward, result.a_step(), joining.best_part, all.average_reward - joining.lift,
      counted(all.plays, "play"));
}

std::string gained(const BanditResult& result, const Joining& joining) {
  return fmt::format(" By {} in plain text, joining is worth {:.4f} +- {:.4f} {} over {} by itself.",
                     counted(result.parts.back().plays, "play"), joining.lift, joining.half_width, result.a_step(),
                     joining.best_part);
}

}  // namespace

std::span<const PlainPlays> companies(const BanditResult& result) {
  return std::span(result.parts).first(result.parts.empty() ? 0 : result.parts.size() - 1);
}

std::optional<Worth> worth_of(const BanditResult& result) {
  if (result.status == RunStatus::failed || !result.average_reward || result.log) return std::nullopt;
  Worth worth;
  if (result.uniform_average_reward) {
    worth.lifts.push_back(lift_over("uniform play", {*result.uniform_average_reward}, result));
  }
  if (result.baseline_arm) {
    worth.lifts.push_back(
        lift_over(fmt::format("arm {}", result.baseline_arm->arm), {result.baseline_arm->average_reward}, result));
  }
  for (const PlainPlays& part : companies(result)) {
    worth.lifts.push_back(lift_over(part.name + " by itself", mean_of(part), result));
  }
  worth.joining = joining_of(result);
  if (worth.joining && !worth.joining->shown) worth.sentence = nothing_gained(result, *worth.joining);
  worth.sentence += earned_text(result, worth.lifts);
  if (worth.joining && worth.joining->shown) worth.sentence += gained(result, *worth.joining);
  return worth;
}

std::string money_sentence(const BanditResult& result, const Worth& worth) {
  if (!result.money || worth.lifts.empty()) return {};
  const double events = result.money->events_per_month;
  const auto amount = [&](double reward) { return human_count(std::round(std::abs(reward) * events)); };
  const auto sentence = [&](double lift, const std::optional<double>& half_width, const std::string& over) {
    return fmt::format("At {} events a month that is {}{} {} a month {} than {}.", human_count(events), amount(lift),
                       half_width ? " +- " + amount(*half_width) : "", result.money->unit, lift < 0 ? "less" : "more",
                       over);
  };
  if (worth.joining && worth.joining->shown) {
    return sentence(worth.joining->lift, worth.joining->half_width, worth.joining->best_part + " by itself earns");
  }
  const auto over_arm = std::find_if(worth.lifts.begin(), worth.lifts.end(),
                                     [](const Lift& lift) { return lift.over.starts_with("arm "); });
  const Lift& lift = over_arm == worth.lifts.end() ? worth.lifts.front() : *over_arm;
  return sentence(lift.lift, lift.half_width, lift.over + " earns");
}

}  // namespace sotto::apps::bandit::run
