#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/kit/files/json.h"
#include "apps/kit/files/table.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/option_values.h"
#include "apps/kit/program/out_options.h"
#include "apps/kit/program/say.h"
#include "apps/kit/report/human.h"
#include "apps/p2b/commands.h"
#include "apps/p2b/encoder.h"
#include "core/text/count.h"
#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::p2b {
namespace {

struct EncoderArguments {
  EncoderSettings settings;
  std::filesystem::path out = "encoder.csv";
  bool overwrite = false;
  bool json = false;
};

nlohmann::ordered_json count_json(const StateCount& count) {
  if (count.exact) return *count.exact;
  return count.text;
}

struct Crowds {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};

std::optional<Crowds> crowds_of(const Encoder& encoder) {
  if (!encoder.grid().states().exact || *encoder.grid().states().exact > most_listed) return {};
  std::vector<std::uint64_t> sizes(encoder.codes());
  const std::vector<std::uint32_t> all = encoder.grid().all_counts();
  const std::size_t d = encoder.dimension();
  for (std::size_t at = 0; at < all.size(); at += d) {
    ++sizes[encoder.encode_counts(std::span(all).subspan(at, d))];
  }
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  return Crowds{*least, *most};
}

nlohmann::ordered_json settings_json(const Encoder& encoder) {
  const EncoderSettings& settings = encoder.settings();
  return {{"kind", encoder_kind_name(settings.kind)},
          {"dimension", settings.dimension},
          {"decimals", settings.decimals},
          {"codes", settings.codes},
          {"seed", settings.seed},
          {"fingerprint", fmt::format("{:016x}", encoder.fingerprint())}};
}

void run_encoder(const EncoderArguments& arguments) {
  check_out_file(arguments.out, arguments.overwrite);
  const EncoderSettings& settings = arguments.settings;
  check_encoder_settings(settings);
  Encoder encoder = fit_encoder(settings);
  encoder.prepare_table();
  write_encoder(arguments.out, encoder);
  const StateCount& states = encoder.grid().states();
  const std::optional<Crowds> crowds = crowds_of(encoder);
  if (arguments.json) {
    nlohmann::ordered_json json = settings_json(encoder);
    json["states"] = count_json(states);
    json["contexts_a_code"] = nullptr;
    if (crowds) json["contexts_a_code"] = {{"least", crowds->least}, {"most", crowds->most}};
    json["file"] = arguments.out.string();
    fmt::print("{}\n", json_text(json, 2));
    return;
  }
  fmt::print("states     {}   contexts of {} with {} that sum to 1: C({}, {})\n", states.text,
             counted(settings.dimension, "feature"), counted(settings.decimals, "decimal"),
             grid_units(settings.decimals) + settings.dimension - 1, settings.dimension - 1);
  fmt::print("codes      {}   {}, seed {}, fitted on no user data\n", settings.codes,
             settings.kind == EncoderKind::kmeans ? "k-means" : "locality-sensitive hashing", settings.seed);
  if (crowds) {
    fmt::print("a code     stands for {} to {} contexts\n", human_count(static_cast<double>(crowds->least)),
               human_count(static_cast<double>(crowds->most)));
  }
  fmt::print("encoder    {}\n", terminal_safe(arguments.out.string()));
}

struct EncodeArguments {
  std::filesystem::path centroids;
  std::filesystem::path contexts;
  bool json = false;
};

bool is_feature(const std::string& name) { return name != "user" && name != "t" && !name.starts_with("reward_"); }

std::vector<std::size_t> feature_columns(const Table& table, std::size_t dimension) {
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (is_feature(table.columns[c])) columns.push_back(c);
  }
  if (columns.size() == dimension) return columns;
  throw InputError(table.file,
                   fmt::format("{}, but the centroids have {}", counted(columns.size(), "feature"), dimension));
}

void run_encode(const EncodeArguments& arguments) {
  const Encoder encoder = read_encoder(arguments.centroids);
  const Table table =
      read_csv(arguments.contexts, Header::optional, [](std::string_view name) { return name == "user"; });
  const std::vector<std::size_t> columns = feature_columns(table, encoder.dimension());
  std::vector<double> context(encoder.dimension());
  std::vector<std::uint32_t> codes;
  codes.reserve(table.rows);
  std::uint64_t clipped = 0;
  for (std::size_t r = 0; r < table.rows; ++r) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const double value = table.row(r)[columns[i]];
      clipped += value < 0 ? 1 : 0;
      context[i] = std::max(value, 0.0);
    }
    codes.push_back(encoder.encode(context));
  }
  if (arguments.json) {
    nlohmann::ordered_json json;
    json["encoder"] = settings_json(encoder);
    json["contexts"] = codes.size();
    json["clipped"] = clipped;
    json["codes"] = codes;
    fmt::print("{}\n", json_text(json));
    return;
  }
  std::string out;
  for (const std::uint32_t code : codes) out += fmt::format("{}\n", code);
  std::fputs(out.c_str(), stdout);
  if (clipped > 0) {
    say(fmt::format("sotto: {}: {} {} taken as 0", arguments.contexts.string(), counted(clipped, "negative feature"),
                    clipped == 1 ? "was" : "were"));
  }
}

}  // namespace

void add_p2b_encoder_command(Command& p2b) {
  Command* command = p2b.add_subcommand("encoder", "Fit the public encoder of contexts to codes, on no user data");
  const auto arguments = std::make_shared<EncoderArguments>();
  EncoderSettings& settings = arguments->settings;
  command->add_option("--dim,--dimension,-d", settings.dimension, "Features of a context")
      ->shows_default()
      ->number(whole(1, most_dimension));
  command->add_option("--decimals,-q", settings.decimals, "Decimals that contexts are rounded to")
      ->shows_default()
      ->number(whole(1, most_decimals));
  command->add_option("--codes,-k", settings.codes, "Codes, a power of two")
      ->shows_default()
      ->number(whole(0, most_codes));
  command
      ->add_option_function(
          "--kind",
          [arguments](const std::string& text) { arguments->settings.kind = parse_encoder_kind(text, "--kind"); },
          "\"kmeans\" (default) or \"lsh\", locality-sensitive hashing")
      ->type_name("KIND");
  command->add_option("--seed", settings.seed, "Public; equal seeds give equal encoders")
      ->shows_default()
      ->number(whole(0, std::uint64_t{1} << 62));
  command->add_option("--out", arguments->out, "The file of centroids")->type_name("FILE")->shows_default();
  add_overwrite(*command, arguments->overwrite);
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->footer(
      "Examples:\n"
      "  sotto p2b encoder --dimension 10 --codes 1024 --out encoder.csv\n"
      "  sotto p2b encoder --dimension 10 --decimals 2 --codes 1024 --kind lsh");
  command->callback([arguments] { run_encoder(*arguments); });
}

void add_p2b_encode_command(Command& p2b) {
  Command* command = p2b.add_subcommand("encode", "Print the code of each context, one a line");
  const auto arguments = std::make_shared<EncodeArguments>();
  command->add_option("--centroids", arguments->centroids, "The encoder: a centroid a row")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--contexts", arguments->contexts,
                   "A context a row; columns named user, t or reward_... are left out")
      ->type_name("FILE")
      ->required();
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->footer(
      "Contexts are scaled to sum 1 and rounded to the encoder's decimals; centroids without a line about\nthe encoder "
      "have six.\n"
      "Example:\n"
      "  sotto p2b encode --centroids encoder.csv --contexts contexts.csv");
  command->callback([arguments] { run_encode(*arguments); });
}

}  // namespace sotto::apps::p2b
