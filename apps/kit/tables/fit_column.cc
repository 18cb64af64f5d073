#include "sotto/apps/kit/tables/fit_column.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "sotto/apps/kit/program/about.h"
#include "sotto/apps/kit/tables/column_profile.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

constexpr std::size_t longest_category = 256;  // bytes
constexpr std::size_t enough_rows = 20;        // to say what a column looks like
constexpr double nearly_all = 0.99;
constexpr double tells = 0.9;

bool lists(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

class ColumnFit {
 public:
  ColumnFit(const TextTable& table, std::size_t column, const FitOptions& options,
            const std::vector<std::uint32_t>& labels)
      : table_(table), column_(column), options_(options), labels_(labels), name_(table.columns()[column]) {
    fitted_.recipe.name = name_;
  }

  FittedColumn run() {
    if (options_.id == name_) return as_key(ColumnUse::id, "the id; no feature");
    if (options_.label == name_) return as_key(ColumnUse::label, "the label; no feature");
    if (lists(options_.drop, name_)) return leave_out("asked for", "");
    const bool percent = lists(options_.percent, name_);
    profile_ = profile_column(table_, column_, options_.form, percent);
    if (profile_.rows.empty()) {
      return leave_out("all values are missing", "");
    }
    if (lists(options_.one_hot, name_)) return as_categories();
    fitted_.recipe.percent = percent;
    if (!profile_.numbers.empty()) return as_number();
    if (percent || lists(options_.numbers, name_) || profile_.count(CellKind::number) > 0) refuse_first_text();
    return of_texts();
  }

 private:
  FittedColumn as_key(ColumnUse use, std::string done) {
    fitted_.recipe.use = use;
    fitted_.done = std::move(done);
    return fitted_;
  }

  FittedColumn leave_out(const std::string& why, const std::string& advice) {
    fitted_.recipe.use = ColumnUse::left_out;
    fitted_.recipe.why = why;
    fitted_.done = "left out: " + why;
    if (!advice.empty()) warn(fmt::format("{}, so it was left out; {}", why, advice));
    return fitted_;
  }

  void warn(const std::string& what) { fitted_.warnings.push_back(fmt::format("column '{}': {}", name_, what)); }

  // "--one-hot plan"
  [[nodiscard]] std::string flag(const char* name) const { return fmt::format("{} {}", name, shell_quoted(name_)); }

  // The first cell that is no number.
  [[noreturn]] void refuse_first_text() const {
    std::size_t row = table_.rows();
    CellKind kind = CellKind::text;
    for (std::size_t k = 0; k < cell_kinds; ++k) {
      const auto other = static_cast<CellKind>(k);
      if (other == CellKind::missing || other == CellKind::number || profile_.count(other) == 0) continue;
      if (profile_.first(other) >= row) continue;
      row = profile_.first(other);
      kind = other;
    }
    const std::size_t bad = profile_.rows.size() - profile_.count(CellKind::number);
    throw InputError(table_.where(row, column_),
                     fmt::format("column '{}': {} where a number is expected ({} of {}); {}", name_, described(kind),
                                 bad, counted(profile_.rows.size(), "value"), remedy(kind, name_)));
  }

  FittedColumn of_texts() {
    const std::size_t present = profile_.rows.size();
    if (profile_.count(CellKind::date) == present) {
      return leave_out("it looks like a date", remedy(CellKind::date, name_));
    }
    if (profile_.count(CellKind::text) + profile_.count(CellKind::date) < present) refuse_first_text();
    return as_categories();
  }

  FittedColumn as_number() {
    const NumberStatistics statistics = statistics_of(profile_.numbers);
    const std::size_t count = profile_.numbers.size();
    const bool asked = lists(options_.numbers, name_) || fitted_.recipe.percent || !options_.standardise;
    if (!asked && looks_like_id(name_, statistics, count)) {
      return leave_out("it looks like an id",
                       fmt::format("--id names the column of ids, {} keeps this one", flag("--number")));
    }
    const double size = std::max(std::abs(statistics.least), std::abs(statistics.largest));
    const bool constant = statistics.deviation <= 1e-12 * size || statistics.deviation < least_spread;
    if (constant && options_.standardise) {
      if (profile_.missing() == 0) return leave_out("constant", "");
      return as_categories();  // whether it is there is all that it says
    }
    ColumnRecipe& recipe = fitted_.recipe;
    recipe.use = ColumnUse::number;
    recipe.fill = options_.robust ? statistics.median : statistics.mean;
    recipe.indicator = profile_.missing() > 0;
    fitted_.done = "number";
    if (options_.standardise) standardise(statistics);
    if (profile_.missing() > 0) {
      fitted_.done += fmt::format("; {} missing: the {}, and a feature that says so", profile_.missing(),
                                  options_.robust ? "median" : "mean");
    }
    warn_of_numbers(statistics);
    warn_of_label(keys_of_numbers());
    return fitted_;
  }

  void standardise(const NumberStatistics& statistics) {
    ColumnRecipe& recipe = fitted_.recipe;
    const bool robust = options_.robust && statistics.robust_deviation >= least_spread &&
                        statistics.robust_deviation > 1e-12 * std::abs(statistics.median);
    recipe.centre = recipe.fill;
    recipe.spread = robust ? statistics.robust_deviation : statistics.deviation;
    recipe.clip = options_.clip;
    fitted_.done += robust ? ", standardised by median and quartiles" : ", standardised";
  }

  void warn_of_numbers(const NumberStatistics& statistics) {
    const std::size_t count = profile_.numbers.size();
    if (count < enough_rows) return;
    const double most = static_cast<double>(statistics.mode_count) / static_cast<double>(count);
    if (most >= nearly_all) {
      warn(fmt::format("one value is that of {} of {}; it says next to nothing", statistics.mode_count,
                       counted(count, "row")));
    } else if (statistics.largest_share > 0.5 && options_.standardise && !options_.robust) {
      warn(
          fmt::format("one value has {:.0f}% of its variance, so the others are all near 0; --robust is not swayed by "
                      "it",
                      100 * statistics.largest_share));
    }
    if (looks_like_date(profile_.numbers)) {
      warn(
          fmt::format("it looks like a date or a time; later rows will have other values than these ({} leaves it out)",
                      flag("--drop")));
    }
  }

  FittedColumn as_categories() {
    const auto counts = count_categories(table_, column_, options_.form);
    const std::size_t present = profile_.rows.size();
    const bool asked = lists(options_.one_hot, name_);
    const auto too_long = [](const auto& entry) { return entry.first.size() > longest_category; };
    if (std::any_of(counts.begin(), counts.end(), too_long)) {
      return leave_out("it holds long texts", "no category has more than 256 bytes");
    }
    if (!asked && present >= enough_rows && counts.size() > options_.categories && counts.size() > present / 2) {
      return leave_out("it looks like an id or free text",
                       fmt::format("{} makes categories of it all the same", flag("--one-hot")));
    }
    ColumnRecipe& recipe = fitted_.recipe;
    recipe.indicator = profile_.missing() > 0;
    if (counts.size() == 1 && !recipe.indicator && options_.standardise) return leave_out("constant", "");
    recipe.use = ColumnUse::categories;
    recipe.percent = false;
    const std::size_t kept = std::min(counts.size(), options_.categories);
    recipe.categories.reserve(kept);
    for (std::size_t i = 0; i < kept; ++i) recipe.categories.push_back(counts[i].first);
    recipe.other = kept < counts.size();
    say_categories(counts.size());
    warn_of_categories(counts.front().second);
    warn_of_label(keys_of_categories());
    return fitted_;
  }

  void say_categories(std::size_t distinct) {
    const ColumnRecipe& recipe = fitted_.recipe;
    const std::size_t kept = recipe.categories.size();
    fitted_.done = kept == 1 ? "1 category" : fmt::format("{} categories", kept);
    if (recipe.other) {
      const std::size_t rest = distinct - kept;
      fitted_.done += fmt::format(", and one for the other {}", rest);
    }
    if (recipe.indicator) fitted_.done += fmt::format("; {} missing, and a feature that says so", profile_.missing());
  }

  void warn_of_categories(std::size_t most) {
    const std::size_t count = profile_.rows.size();
    if (count < enough_rows || fitted_.recipe.categories.size() == 1) return;
    if (static_cast<double>(most) / static_cast<double>(count) < nearly_all) return;
    warn(fmt::format("one value is that of {} of {}; it says next to nothing", most, counted(count, "row")));
  }

  // Missing values are a value of their own.
  [[nodiscard]] std::vector<double> keys_of_numbers() const {
    std::vector<double> keys(table_.rows(), -2 * 1e30);
    for (std::size_t i = 0; i < profile_.rows.size(); ++i) keys[profile_.rows[i]] = profile_.numbers[i];
    return keys;
  }

  [[nodiscard]] std::vector<double> keys_of_categories() const {
    std::unordered_map<std::string, double> numbers;
    std::vector<double> keys(table_.rows(), -1);
    for (const std::size_t r : profile_.rows) {
      TableCell cell;
      cell.text = table_.cell(r, column_);
      const auto next = static_cast<double>(numbers.size());
      keys[r] = numbers.try_emplace(category_of(cell, options_.form), next).first->second;
    }
    return keys;
  }

  void warn_of_label(const std::vector<double>& keys) {
    if (labels_.empty()) {
      if (!options_.label && has_name_of_label(name_)) {
        warn(
            fmt::format("its name is that of an outcome; is it known before the arm is chosen? (--label {0} takes it "
                        "out as the best arm, --drop {0} leaves it out)",
                        shell_quoted(name_)));
      }
      return;
    }
    constexpr std::size_t enough_for_labels = 50;
    if (labels_.size() < enough_for_labels || label_told_by(keys, labels_) < tells) return;
    warn(fmt::format("it nearly tells the label by itself; is it known before the arm is chosen? ({} leaves it out)",
                     flag("--drop")));
  }

  const TextTable& table_;
  std::size_t column_;
  const FitOptions& options_;
  const std::vector<std::uint32_t>& labels_;
  std::string name_;
  ColumnProfile profile_;
  FittedColumn fitted_;
};

}  // namespace

FittedColumn fit_column(const TextTable& table, std::size_t column, const FitOptions& options,
                        const std::vector<std::uint32_t>& labels) {
  return ColumnFit(table, column, options, labels).run();
}

}  // namespace sotto::apps
