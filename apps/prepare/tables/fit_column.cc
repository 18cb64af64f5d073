#include "apps/prepare/tables/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "apps/kit/program/about.h"
#include "apps/prepare/tables/column_profile.h"
#include "apps/prepare/tables/doubts.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {
namespace {

constexpr std::size_t longest_category = 256;  // bytes
constexpr std::size_t enough_rows = 20;        // with fewer rows, the use of a column is not clear
constexpr double nearly_all = 0.99;
constexpr double tells = 0.9;

bool lists(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

class ColumnFit {
 public:
  ColumnFit(const TextTable& table, std::size_t column, const FitOptions& options, const TableWords& words,
            const std::vector<std::uint32_t>& labels)
      : table_(table),
        column_(column),
        options_(options),
        labels_(labels),
        name_(table.columns()[column]),
        form_(form_of_column(words, name_)) {
    fitted_.recipe.name = name_;
    const auto own = words.columns.find(name_);
    if (own != words.columns.end()) fitted_.recipe.words = own->second;
  }

  FittedColumn run() {
    if (lists(options_.id, name_)) return as_key(ColumnUse::id, "the id; no feature");
    if (options_.label == name_) return as_key(ColumnUse::label, "the label; no feature");
    if (options_.subject == name_) return as_key(ColumnUse::subject, "whom rows are about; no feature");
    if (lists(options_.drop, name_)) return leave_out("asked for", "");
    const bool percent = lists(options_.percent, name_);
    profile_ = profile_column(table_, column_, form_, percent);
    if (profile_.rows.empty()) return leave_out(fmt::format("all values are missing{}", words_found()), "");
    if (lists(options_.one_hot, name_)) return as_categories();
    fitted_.recipe.percent = percent;
    const bool asked = percent || lists(options_.numbers, name_);
    if (!asked && profile_.are_codes()) return as_codes();
    if (!profile_.numbers.empty()) return as_number();
    if (asked || profile_.count(CellKind::number) > 0) refuse_first_text();
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

  [[nodiscard]] std::string flag(const char* name) const { return fmt::format("{} {}", name, shell_quoted(name_)); }

  FittedColumn as_codes() {
    const std::size_t codes = profile_.codes + profile_.exponents;
    warn(
        fmt::format("{} of {} {} leading zeros, an exponent or more than 15 digits as codes have, so all are texts; {} "
                    "reads numbers",
                    codes, counted(profile_.rows.size(), "value"), codes == 1 ? "has" : "have", flag("--number")));
    return as_categories();
  }

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
                                 bad, counted(profile_.rows.size(), "value"), remedy_of(kind)));
  }

  [[nodiscard]] std::string remedy_of(CellKind kind) const {
    if (kind != CellKind::decimal_comma) return remedy(kind, name_);
    if (form_.decimal_comma) return "with --decimal-comma, save the table with commas for decimals and no other marks";
    // The number 33,167 may mean 33167, but --decimal-comma would read it as 33.167.
    if (profile_.other_groups == profile_.count(kind)) {
      return "where commas are between thousands, save the table without them; where they are decimal marks, "
             "--decimal-comma reads them so";
    }
    return remedy(kind, name_);
  }

  // Marks are doubtful if they may separate the thousands of all numbers: 1.200 next to 950 could be 1200, or 1.2 with
  // three decimals.
  void check_marks() {
    if (lists(options_.numbers, name_) || fitted_.recipe.percent || !profile_.may_be_thousands()) return;
    const std::string_view mark = form_.decimal_comma ? "comma" : "point";
    if (profile_.short_wholes == 0) {
      warn(
          fmt::format("each value has a {0} and three digits behind it, and is read as a decimal number. If the {0} "
                      "separates thousands, save the table without it ({1} says that it does not)",
                      mark, flag("--number")));
      return;
    }
    throw InputError(
        table_.where(profile_.first_one_group, column_),
        fmt::format(
            "column '{}': this number has a {} and three digits behind it, as {} of {} have, and the others are below "
            "1,000 and whole. If it separates thousands, save the table without it; if it is a decimal mark, {} says "
            "so",
            name_, mark, profile_.one_groups, counted(profile_.rows.size(), "value"), flag("--number")));
  }

  [[nodiscard]] std::string words_found() const {
    constexpr std::size_t most_words = 4;
    std::vector<std::pair<std::string, std::size_t>> words(profile_.missing_words.begin(),
                                                           profile_.missing_words.end());
    std::stable_sort(words.begin(), words.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string text;
    for (std::size_t i = 0; i < std::min(words.size(), most_words); ++i) {
      const auto& [word, count] = words[i];
      text += fmt::format("{}{} {}", i == 0 ? " (" : ", ", count, word.empty() ? "empty" : word);
    }
    return text + (words.size() > most_words ? ", ...)" : ")");
  }

  // A word for missing values may be a value, such as the offer "None".
  void warn_of_words() {
    constexpr double many = 0.1;
    if (profile_.count(CellKind::text) == 0) return;
    for (const auto& [word, count] : profile_.missing_words) {
      const bool is_asked = std::find(form_.missing.begin(), form_.missing.end(), word) != form_.missing.end();
      const bool has_empty = profile_.missing_words.contains("");
      const double part = static_cast<double>(count) / static_cast<double>(table_.rows());
      if (word.empty() || is_asked || (part < many && !has_empty)) continue;
      warn(
          fmt::format("{} of {} {} {}, which counts as a missing value; where it is a value, --not-missing {} keeps it",
                      count, counted(table_.rows(), "row"), count == 1 ? "has" : "have", word,
                      shell_quoted(fmt::format("{}={}", name_, word))));
    }
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
      return as_categories();
    }
    check_marks();
    ColumnRecipe& recipe = fitted_.recipe;
    recipe.use = ColumnUse::number;
    recipe.fill = options_.robust ? statistics.median : statistics.mean;
    recipe.indicator = profile_.missing() > 0;
    fitted_.done = "number";
    if (options_.standardise) standardise(statistics);
    if (profile_.missing() > 0) {
      fitted_.done += fmt::format("; {} missing{}: the {}, and a feature that says so", profile_.missing(),
                                  words_found(), options_.robust ? "median" : "mean");
    }
    warn_of_numbers(statistics);
    warn_of_far_values();
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
    if (recipe.clip > 0) recipe.usual_part = clipped_part();
    fitted_.done += robust ? ", standardised by median and quartiles" : ", standardised";
  }

  [[nodiscard]] double clipped_part() const {
    const ColumnRecipe& recipe = fitted_.recipe;
    const auto clipped = std::count_if(profile_.numbers.begin(), profile_.numbers.end(), [&](double number) {
      return std::abs((number - recipe.centre) / recipe.spread) > recipe.clip;
    });
    return static_cast<double>(clipped) / static_cast<double>(profile_.numbers.size());
  }

  void warn_of_far_values() {
    for (const FarValue& far : far_values(profile_.numbers)) {
      const auto first = std::find(profile_.numbers.begin(), profile_.numbers.end(), far.value);
      const std::size_t row = profile_.rows[static_cast<std::size_t>(first - profile_.numbers.begin())];
      warn(
          fmt::format("its {} value occurs {} times (first in {}) and is far from the others; where it stands for a "
                      "missing one, --missing {} says so",
                      far.is_least ? "least" : "largest", far.count, table_.where(row, column_),
                      shell_quoted(fmt::format("{}=VALUE", name_))));
    }
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
    const auto counts = count_categories(table_, column_, form_);
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
    warn_of_words();
    recipe.use = ColumnUse::categories;
    recipe.percent = false;
    const std::size_t kept = std::min(counts.size(), options_.categories);
    recipe.categories.reserve(kept);
    for (std::size_t i = 0; i < kept; ++i) recipe.categories.push_back(counts[i].first);
    recipe.other = kept < counts.size();
    std::size_t known = 0;
    for (std::size_t i = 0; i < kept; ++i) known += counts[i].second;
    recipe.usual_part = 1 - static_cast<double>(known) / static_cast<double>(present);
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
    if (recipe.indicator) {
      fitted_.done += fmt::format("; {} missing{}, and a feature that says so", profile_.missing(), words_found());
    }
  }

  void warn_of_categories(std::size_t most) {
    const std::size_t count = profile_.rows.size();
    if (count < enough_rows || fitted_.recipe.categories.size() == 1) return;
    if (static_cast<double>(most) / static_cast<double>(count) < nearly_all) return;
    warn(fmt::format("one value is that of {} of {}; it says next to nothing", most, counted(count, "row")));
  }

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
      keys[r] = numbers.try_emplace(category_of(cell, form_), next).first->second;
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
    if (labels_.size() < enough_for_labels || label_revealed_by(keys, labels_) < tells) return;
    warn(fmt::format("it nearly tells the label by itself; is it known before the arm is chosen? ({} leaves it out)",
                     flag("--drop")));
  }

  const TextTable& table_;
  std::size_t column_;
  const FitOptions& options_;
  const std::vector<std::uint32_t>& labels_;
  std::string name_;
  CellForm form_;
  ColumnProfile profile_;
  FittedColumn fitted_;
};

}  // namespace

FittedColumn fit_column(const TextTable& table, std::size_t column, const FitOptions& options, const TableWords& words,
                        const std::vector<std::uint32_t>& labels) {
  return ColumnFit(table, column, options, words, labels).run();
}

}  // namespace sotto::apps::prepare
