// The command spends its whole budget on one release. Without --composition, it uses the better of zcdp and basic. This
// choice depends only on the settings, never on the estimates. If an error occurs, the command has drawn and released
// nothing.
#include "apps/robin/commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/kit/dp/budget.h"
#include "apps/kit/files/json.h"
#include "apps/kit/files/table.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/option_values.h"
#include "apps/kit/program/say.h"
#include "apps/kit/report/human.h"
#include "apps/robin/aggregate/aggregate.h"
#include "apps/robin/aggregate/mechanism.h"
#include "apps/robin/settings.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::robin {
namespace {

struct AggregateFileOptions {
  std::filesystem::path estimates;
  double bound = 1;
  double tau = 0;
  double epsilon = 1;
  double delta = 1e-5;
  std::optional<Composition> composition;
  std::optional<NoiseKind> noise;  // if empty: Gaussian noise with zcdp, otherwise Laplace noise
  std::filesystem::path around;    // if empty: the command draws a private range
  std::optional<std::uint64_t> insecure_seed;
};

struct AggregateFileResult {
  AggregateFileOptions options;
  std::size_t estimates = 0;
  AggregateSettings settings;
  AggregateResult result;
  double epsilon_spent = 0;
  double delta_spent = 0;
  double rho_spent = 0;
  double misfire = 0;
};

constexpr double likely_misfire = 0.01;
constexpr std::size_t most_shown = 16;

Budget budget_of(const AggregateFileOptions& options, std::size_t dimension, Composition composition) {
  return Budget({options.epsilon, options.delta, composition, 1, padded_dimension(dimension)});
}

AggregateSettings settings_of(const AggregateFileOptions& options, std::size_t dimension, Composition composition) {
  AggregateSettings settings;
  settings.dimension = dimension;
  settings.bound = options.bound;
  settings.tau = options.tau;
  settings.noise = options.noise.value_or(composition == Composition::zcdp ? NoiseKind::gaussian : NoiseKind::laplace);
  settings.share = budget_of(options, dimension, composition).share();
  return settings;
}

Composition best_composition(const AggregateFileOptions& options, std::size_t dimension) {
  if (options.noise == NoiseKind::gaussian) return Composition::zcdp;
  const auto with = [&](Composition composition) { return mechanism_of(settings_of(options, dimension, composition)); };
  const AggregateMechanism zcdp = with(Composition::zcdp);
  const AggregateMechanism basic = with(Composition::basic);
  const double tau_in_zcdp = zcdp.noise_sd * zcdp.rotated_step;
  const double tau_in_basic = basic.noise_sd * basic.rotated_step;
  return tau_in_basic <= tau_in_zcdp && basic.eta.value() >= zcdp.eta.value() ? Composition::basic : Composition::zcdp;
}

std::vector<double> read_around(const std::filesystem::path& path, std::size_t dimension) {
  const Table table = read_csv(path, Header::optional);
  if (table.rows != 1 || table.columns.size() != dimension) {
    throw InputError(table.file,
                     fmt::format("{} of {}; one row of {} is needed, as the estimates have", counted(table.rows, "row"),
                                 counted(table.columns.size(), "number"), dimension));
  }
  return table.values;
}

template <class Value>
std::string first_of(const std::vector<Value>& values, const auto& text_of) {
  std::string text;
  for (std::size_t i = 0; i < std::min(values.size(), most_shown); ++i)
    text += (i == 0 ? "" : ", ") + text_of(values[i]);
  return most_shown < values.size() ? text + ", .." : text;
}

std::string numbers_text(const std::vector<double>& numbers) {
  const std::string text = first_of(numbers, [](double number) { return fmt::format("{:.6g}", number); });
  return numbers.size() > most_shown ? text + fmt::format(" ({} more, see --json)", numbers.size() - most_shown) : text;
}

std::string ranges_text(const AggregateResult& result) {
  const auto text_of = [](const auto& range) { return fmt::format("[{:.4g}, {:.4g}]", range.first, range.second); };
  return first_of(result.ranges, text_of);
}

AggregateFileResult aggregate_file(const AggregateFileOptions& options) {
  check_privacy(options.epsilon, options.delta);
  const Table table = read_csv(options.estimates, Header::optional);
  const std::size_t dimension = table.columns.size();
  if (table.rows < 2) {
    throw InputError(table.file, "one estimate only: a private mean needs at least two; nothing was released");
  }
  AggregateFileResult done;
  done.options = options;
  done.estimates = table.rows;
  const Composition composition = options.composition.value_or(best_composition(options, dimension));
  done.settings = settings_of(options, dimension, composition);
  done.options.composition = composition;
  done.options.noise = done.settings.noise;
  if (!options.around.empty()) done.settings.around = read_around(options.around, dimension);
  (void)mechanism_of(done.settings);  // checks the settings before the budget is spent
  Budget budget = budget_of(options, dimension, composition);
  budget.spend();
  Coins coins = Coins::of(options.insecure_seed);
  done.result = aggregate(table.values, done.settings, coins);
  done.epsilon_spent = budget.epsilon_spent();
  done.delta_spent = budget.delta_spent();
  done.rho_spent = budget.rho_spent();
  done.misfire = misfire_chance(done.settings, table.rows);
  return done;
}

// The returned text reveals something about the exact number of clipped estimates. So it is only for users who may see
// the estimates.
std::optional<std::string> doubt_of(const AggregateFileResult& result) {
  std::vector<std::string> reasons;
  if (result.misfire > likely_misfire) {
    reasons.push_back(fmt::format("too few estimates for this epsilon, ranges miss them with a chance of up to {:.2g}",
                                  result.misfire));
  }
  if (2 * result.result.clipped > result.estimates) {
    reasons.push_back(
        fmt::format("more than half of the estimates are longer than --bound {:g}", result.options.bound));
  }
  if (result.result.noise_sd > result.options.bound) {
    reasons.push_back(fmt::format("the noise, of standard deviation {:.3g}, is larger than --bound {:g}",
                                  result.result.noise_sd, result.options.bound));
  }
  if (reasons.empty()) return std::nullopt;
  return fmt::format("this mean may be off by anything: {}", fmt::join(reasons, "; "));
}

// The JSON contains the exact counts, so it is only for users who may see the estimates.
nlohmann::json to_json(const AggregateFileResult& result) {
  const AggregateResult& released = result.result;
  nlohmann::json json{{"estimates", result.estimates},
                      {"dimension", result.settings.dimension},
                      {"mean", released.mean},
                      {"ranges", released.ranges},
                      {"signs", released.signs},
                      {"noise", noise_text(result.settings.noise)},
                      {"noise_scale", released.noise_scale},
                      {"noise_sd", released.noise_sd},
                      {"composition", name_of(*result.options.composition)},
                      {"bound", result.options.bound},
                      {"tau", result.options.tau},
                      {"eps", result.options.epsilon},
                      {"delta", result.options.delta},
                      {"eps_spent", result.epsilon_spent},
                      {"delta_spent", result.delta_spent},
                      {"rho_spent", result.rho_spent},
                      {"misfire_chance", result.misfire},
                      {"clipped", released.clipped},
                      {"outside_ranges", released.outside},
                      {"range", result.settings.around ? "around" : "private"}};
  json["insecure"] = nlohmann::json::array();
  if (result.options.insecure_seed) {
    json["insecure"].push_back("insecure-seed");
    json["insecure_seed"] = *result.options.insecure_seed;
  }
  return json;
}

std::string to_text(const AggregateFileResult& result, bool colour) {
  const AggregateResult& released = result.result;
  SummaryLines lines(colour);
  lines.title(fmt::format("Private mean of {} of {}", counted(result.estimates, "estimate"),
                          counted(result.settings.dimension, "number")));
  if (result.options.insecure_seed) {
    lines.warning("--insecure-seed: everybody can compute the noise; nothing is private");
  }
  lines.row("mean", numbers_text(released.mean));
  lines.row("ranges", ranges_text(released), "rotated coordinates");
  lines.row("noise", fmt::format("{}, scale {:.4g},", noise_text(result.settings.noise), released.noise_scale),
            fmt::format("standard deviation {:.4g} a coordinate", released.noise_sd));
  lines.row("spent", fmt::format("epsilon {:.6g}, delta {:.3g},", result.epsilon_spent, result.delta_spent),
            result.options.composition == Composition::zcdp
                ? fmt::format("zCDP, rho {:.4g}", result.rho_spent)
                : fmt::format("{} composition", name_of(*result.options.composition)));
  lines.row("clipped", fmt::format("{} of {}", released.clipped, counted(result.estimates, "estimate")),
            "longer than the bound; exact, do not publish");
  return lines.text();
}

struct RobinAggregateArguments {
  AggregateFileOptions options;
  bool json = false;
};

void run_robin_aggregate(const RobinAggregateArguments& arguments) {
  const AggregateFileResult result = aggregate_file(arguments.options);
  const std::string text =
      arguments.json ? json_text(to_json(result), 2) + "\n" : to_text(result, use_colour(STDOUT_FILENO));
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  if (const auto doubt = doubt_of(result)) say(fmt::format("sotto: {}", *doubt));
}

void add_privacy(Command& command, AggregateFileOptions& options) {
  command.add_option("--eps", options.epsilon, "Budget of this release")->number(real())->shows_default();
  command.add_option("--delta", options.delta, "Budget of this release")->number(real())->shows_default();
  command
      .add_option_function(
          "--composition",
          [&options](const std::string& text) { options.composition = parse_composition(text, "--composition"); },
          "Account: \"zcdp\", \"basic\" or \"nested\" (default: the better of zcdp and basic)")
      ->type_name("HOW");
  command
      .add_option_function(
          "--noise", [&options](const std::string& text) { options.noise = parse_noise(text, "--noise"); },
          "\"gaussian\" (default with zcdp, and only there) or \"laplace\"")
      ->type_name("KIND");
  command
      .add_option("--insecure-seed", options.insecure_seed, "Repeatable noise that everybody can subtract. For tests")
      ->number(whole())
      ->type_name("N");
}

}  // namespace

void add_robin_aggregate_command(Command& robin) {
  Command* command =
      robin.add_subcommand("aggregate", "The private mean of estimates in a file, one a row (WinsorizedMeanHighD)");
  const auto arguments = std::make_shared<RobinAggregateArguments>();
  AggregateFileOptions& options = arguments->options;
  command->add_option("--estimates", options.estimates, "One estimate a row; a header is optional")
      ->type_name("FILE")
      ->required();
  command->add_option("--bound", options.bound, "On the norm of an estimate; longer ones are cut")
      ->number(real())
      ->required();
  command->add_option("--tau", options.tau, "Most estimates are within tau of their mean, in every coordinate")
      ->number(real())
      ->required();
  command
      ->add_option("--around", options.around,
                   "Clip round this estimate, for example the last release, instead of looking for a range")
      ->type_name("FILE");
  add_privacy(*command, options);
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->footer(
      "The mean is differentially private for each whole estimate: another one in its place changes the odds little.\n"
      "Every run spends a budget of its own: two runs on the same estimates cost both.\n"
      "Example:\n"
      "  sotto robin aggregate --estimates estimates.csv --bound 1 --tau 0.1 --eps 1 --delta 1e-5");
  command->callback([arguments] { run_robin_aggregate(*arguments); });
}

}  // namespace sotto::apps::robin
