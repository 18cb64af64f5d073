#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "apps/kit/dp/samplers.h"
#include "apps/kit/files/json.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/option_values.h"
#include "apps/kit/program/out_options.h"
#include "apps/kit/program/say.h"
#include "apps/p2b/commands.h"
#include "apps/p2b/model.h"
#include "apps/p2b/privacy.h"
#include "apps/p2b/tuple.h"
#include "core/text/count.h"
#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::p2b {
namespace {

void warn_of(const TupleFile& file, const std::filesystem::path& path) {
  if (file.clipped > 0) {
    say(fmt::format("sotto: {}: {} outside [0, 1] {} clipped", path.string(), counted(file.clipped, "reward"),
                    file.clipped == 1 ? "was" : "were"));
  }
  if (file.duplicates > 0) {
    say(fmt::format("sotto: {}: {} of users who had reported already {} left out", path.string(),
                    counted(file.duplicates, "further tuple"), file.duplicates == 1 ? "was" : "were"));
  }
}

struct ShuffleArguments {
  std::filesystem::path tuples;
  std::filesystem::path out;
  bool overwrite = false;
  std::size_t threshold = 10;
  TupleLimits limits;
  std::optional<std::uint64_t> seed;
  bool json = false;
};

void warn_of_few(const ShuffleResult& result, const ShuffleArguments& arguments) {
  if (result.received == 0 || result.received >= arguments.threshold) return;
  say(fmt::format("sotto: {}: {} {} fewer than the threshold of {}: none is released", arguments.tuples.string(),
                  counted(result.received, "tuple"), result.received == 1 ? "is" : "are", arguments.threshold));
}

nlohmann::ordered_json shuffle_json(const ShuffleResult& result, const TupleFile& file,
                                    const ShuffleArguments& arguments) {
  nlohmann::ordered_json json{{"received", result.received},     {"kept", result.kept},
                              {"dropped", result.dropped},       {"codes_dropped", result.codes_dropped},
                              {"clipped", file.clipped},         {"duplicates", file.duplicates},
                              {"threshold", arguments.threshold}};
  // The fields in `not_to_publish` must stay private, because delta only covers an observer that sees nothing but the
  // survivors and their number.
  json["not_to_publish"] = {"received", "dropped", "codes_dropped", "clipped", "duplicates"};
  json["insecure"] = nlohmann::ordered_json::array();
  if (arguments.seed) {
    json["insecure"].push_back("insecure-seed");
    json["insecure_seed"] = *arguments.seed;
  }
  if (!arguments.out.empty()) return json;
  json["survivors"] = nlohmann::ordered_json::array();
  for (const Tuple& tuple : result.survivors) {
    json["survivors"].push_back(nlohmann::ordered_json::array({tuple.code, tuple.arm, tuple.reward}));
  }
  return json;
}

void run_shuffle(const ShuffleArguments& arguments) {
  check_threshold(arguments.threshold);
  check_out_file(arguments.out, arguments.overwrite);
  const TupleFile file = read_tuples(arguments.tuples, arguments.limits);
  Coins coins = Coins::of(arguments.seed);
  const ShuffleResult result = shuffle(std::span(file.tuples), arguments.threshold, coins);
  if (!arguments.out.empty()) write_file(arguments.out, tuples_csv(result.survivors));
  warn_of(file, arguments.tuples);
  warn_of_few(result, arguments);
  if (arguments.json) {
    fmt::print("{}\n", json_text(shuffle_json(result, file, arguments), arguments.out.empty() ? -1 : 2));
    return;
  }
  if (arguments.seed) {
    say("INSECURE: insecure-seed. Do not use this run's protection for real data.");
  }
  if (arguments.out.empty()) {
    std::fputs(tuples_csv(result.survivors).c_str(), stdout);
    return;
  }
  fmt::print("{} received, {} kept, {} dropped of {}\n{}\n", counted(result.received, "tuple"), result.kept,
             result.dropped, counted(result.codes_dropped, "code"), terminal_safe(arguments.out.string()));
  say("sotto: do not publish how many were received or dropped: delta covers the survivors alone");
}

struct FitArguments {
  std::filesystem::path tuples;
  std::filesystem::path centroids;
  std::size_t codes = 0;
  std::size_t arms = 0;
  ContextKind context = ContextKind::one_hot;
  double alpha = 1;
  std::filesystem::path out;
  bool overwrite = false;
  bool json = false;
};

std::optional<Encoder> encoder_of(const FitArguments& arguments) {
  if (arguments.centroids.empty()) {
    if (arguments.context == ContextKind::one_hot) return {};
    throw InputError("--centroids", "missing: --context centroid needs the encoder's file");
  }
  std::optional<Encoder> encoder = read_encoder(arguments.centroids);
  if (encoder->codes() == arguments.codes) return encoder;
  throw InputError("--codes", fmt::format("{}, but {} has {}", arguments.codes, arguments.centroids.string(),
                                          counted(encoder->codes(), "centroid")));
}

std::string theta_csv(const Model& model) {
  std::string csv = "code,arm,theta\n";
  for (std::uint32_t code = 0; code < model.codes(); ++code) {
    for (std::size_t arm = 0; arm < model.arms(); ++arm) {
      csv += fmt::format("{},{},{}\n", code, arm, model.theta(code, arm));
    }
  }
  return csv;
}

nlohmann::ordered_json fit_json(const Model& model, const TupleFile& file) {
  nlohmann::ordered_json json{{"context", context_kind_name(model.kind())},
                              {"codes", model.codes()},
                              {"arms", model.arms()},
                              {"alpha", model.alpha()},
                              {"tuples", file.tuples.size()},
                              {"clipped", file.clipped},
                              {"duplicates", file.duplicates}};
  json["theta"] = nlohmann::ordered_json::array();
  for (std::uint32_t code = 0; code < model.codes(); ++code) {
    std::vector<double> row;
    for (std::size_t arm = 0; arm < model.arms(); ++arm) row.push_back(model.theta(code, arm));
    json["theta"].push_back(row);
  }
  if (model.kind() != ContextKind::centroid) return json;
  json["theta_vectors"] = nlohmann::ordered_json::array();
  for (std::size_t arm = 0; arm < model.arms(); ++arm) {
    const std::span<const double> theta = model.theta_vector(arm);
    json["theta_vectors"].push_back(std::vector<double>(theta.begin(), theta.end()));
  }
  return json;
}

void run_fit(const FitArguments& arguments) {
  check_out_file(arguments.out, arguments.overwrite);
  if (arguments.codes > most_cells / arguments.arms) {
    throw InputError("--codes",
                     fmt::format("{} of {} are too many: {} of both together are possible",
                                 counted(arguments.codes, "code"), counted(arguments.arms, "arm"), most_cells));
  }
  const std::optional<Encoder> encoder = encoder_of(arguments);
  const TupleFile file = read_tuples(arguments.tuples, {arguments.codes, arguments.arms});
  Model model = encoder ? Model(arguments.context, *encoder, arguments.arms, arguments.alpha)
                        : Model(arguments.codes, arguments.arms, arguments.alpha);
  model.update(std::span(file.tuples));
  model.solve();
  warn_of(file, arguments.tuples);
  const std::string text = arguments.json ? json_text(fit_json(model, file)) + "\n" : theta_csv(model);
  if (!arguments.out.empty()) {
    write_file(arguments.out, text);
    fmt::print("{}\n", terminal_safe(arguments.out.string()));
    return;
  }
  std::fputs(text.c_str(), stdout);
}

struct EpsilonArguments {
  double p = 0.5;
  std::size_t threshold = 10;
  bool json = false;
};

void run_epsilon(const EpsilonArguments& arguments) {
  const double epsilon = report_epsilon(arguments.p);
  const CrowdDelta worst = worst_crowd(arguments.p, arguments.threshold);
  if (arguments.json) {
    const nlohmann::ordered_json json{{"p", arguments.p},
                                      {"threshold", arguments.threshold},
                                      {"epsilon", epsilon},
                                      {"delta", worst.delta},
                                      {"worst_crowd", worst.crowd}};
    fmt::print("{}\n", json_text(json, 2));
    return;
  }
  fmt::print("epsilon    {:.6g}\n", epsilon);
  fmt::print("delta      {}   exact; worst for a user whose code {} others have\n", delta_text(worst.delta, 6),
             worst.crowd);
  fmt::print("covers     the codes that are released, adding or removing one user; not arm and reward of a tuple\n");
}

}  // namespace

void add_p2b_shuffle_command(Command& p2b) {
  Command* command = p2b.add_subcommand("shuffle", "Drop the tuples of rare codes and shuffle the others");
  const auto arguments = std::make_shared<ShuffleArguments>();
  command
      ->add_option("--tuples", arguments->tuples, "code,arm,reward; columns of other names are metadata and left out")
      ->type_name("FILE")
      ->required();
  command->add_option("--threshold", arguments->threshold, "Codes that occur fewer times are dropped")
      ->shows_default()
      ->number(whole());
  command->add_option("--codes", arguments->limits.codes, "Refuse codes from this number on")
      ->number(whole(1, most_codes));
  command->add_option("--arms", arguments->limits.arms, "Refuse arms from this number on")->number(whole(1, most_arms));
  command->add_option("--out", arguments->out, "Where the survivors go (default: stdout)")->type_name("FILE");
  add_overwrite(*command, arguments->overwrite);
  command->add_option("--insecure-seed", arguments->seed, "A repeatable order, which hides nothing: for tests")
      ->number(whole());
  command->add_flag("--json", arguments->json, "Print one JSON object of counts; without --out with the survivors");
  command->footer("Example:\n  sotto p2b shuffle --tuples tuples.csv --threshold 10 --out survivors.csv");
  command->callback([arguments] { run_shuffle(*arguments); });
}

void add_p2b_fit_command(Command& p2b) {
  Command* command = p2b.add_subcommand("fit", "Learn from tuples, and print theta of each code and arm");
  const auto arguments = std::make_shared<FitArguments>();
  command->add_option("--tuples", arguments->tuples, "Survivors: code,arm,reward")->type_name("FILE")->required();
  command->add_option("--codes", arguments->codes, "Codes of the encoder")->required()->number(whole(1, most_codes));
  command->add_option("--arms", arguments->arms, "Arms")->required()->number(whole(1, most_arms));
  command
      ->add_option_function(
          "--context",
          [arguments](const std::string& text) { arguments->context = parse_context_kind(text, "--context"); },
          "The context of a code: \"one-hot\" (default) or \"centroid\"")
      ->type_name("KIND");
  command->add_option("--centroids", arguments->centroids, "The encoder, for --context centroid")->type_name("FILE");
  command->add_option("--out", arguments->out, "A file instead of stdout")->type_name("FILE");
  add_overwrite(*command, arguments->overwrite);
  command->add_flag("--json", arguments->json, "One JSON object instead of CSV");
  command->footer(
      "theta is the expected reward: sum of rewards / (1 + count) of a one-hot code, theta_a . centroid otherwise.\n"
      "Example:\n  sotto p2b fit --tuples survivors.csv --codes 1024 --arms 10");
  command->callback([arguments] { run_fit(*arguments); });
}

void add_p2b_epsilon_command(Command& p2b) {
  Command* command = p2b.add_subcommand("epsilon", "Print the privacy of a report: epsilon and delta");
  const auto arguments = std::make_shared<EpsilonArguments>();
  command->add_option("--p", arguments->p, "Probability with which a user reports")
      ->number(real(0, 1))
      ->shows_default();
  command->add_option("--threshold", arguments->threshold, "The threshold of the shuffler")
      ->shows_default()
      ->number(whole());
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->footer("docs/explain/p2b.md says what they cover.\nExample:\n  sotto p2b epsilon --p 0.5 --threshold 10");
  command->callback([arguments] { run_epsilon(*arguments); });
}

}  // namespace sotto::apps::p2b
