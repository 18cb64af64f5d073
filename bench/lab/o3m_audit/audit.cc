#include "bench/lab/o3m_audit/audit.h"

#include <cstdio>

#include "apps/kit/files/output_file.h"
#include "apps/kit/program/about.h"
#include "apps/kit/report/described.h"
#include "apps/o3m/commands.h"
#include "apps/o3m/leakage.h"
#include "bench/lab/experiment.h"
#include "core/text/terminal_safe.h"

namespace sotto::apps::lab {

using namespace sotto::apps::o3m;
namespace {

constexpr std::size_t curve_steps = 20;

std::vector<GeometryReading> read_all_geometry(const AuditData& data, const MaskedUsers& users) {
  std::vector<GeometryReading> readings;
  readings.push_back(read_geometry("whole contexts", users.view.masked, data.values, data.rows));
  readings.push_back(read_geometry("passive participants together", without_own(users.view), data.others(), data.rows));
  for (std::size_t j = 1; j < data.columns.size(); ++j) {
    readings.push_back(read_geometry(fmt::format("passive participant {}, --insecure-blocks", j), users.blocks[j - 1],
                                     data.block(j), data.rows));
  }
  return readings;
}

std::vector<std::size_t> attempts(const std::vector<std::size_t>& asked, std::size_t independent) {
  for (const std::size_t known : asked) {
    if (known <= independent) continue;
    throw InputError(
        "--known", fmt::format("{} where the others' contexts have {} linearly independent ones: more give nothing new",
                               known, independent));
  }
  if (!asked.empty()) return asked;
  std::vector<std::size_t> usual{independent};
  for (const std::size_t fewer : {independent - std::min<std::size_t>(independent, 1), 2 * independent / 3}) {
    if (fewer < usual.back()) usual.push_back(fewer);
  }
  return usual;
}

ActiveView with_wrong_block(const AuditData& data, const MaskedUsers& users, std::uint64_t seed) {
  ActiveView view = users.view;
  view.own_block = mask_users(data, seed + 1).view.own_block;
  return view;
}

std::string tiny(double error) { return fmt::format("{:.1e}", error); }
std::string share(double correlation) { return fmt::format("{:.4f}", correlation); }

FigureTable geometry_table(const AuditResult& result) {
  FigureTable table("geometry", "1. Geometry, read off masked contexts: largest error",
                    "of; norms; products: inner products; distances; duplicates: duplicates found");
  for (const GeometryReading& one : result.geometry) {
    table.add(
        {one.whose, tiny(one.norm_error), tiny(one.inner_product_error), tiny(one.distance_error),
         fmt::format("{} of {}{}", one.duplicates_found, one.duplicates, one.same_duplicates ? "" : ", not the same")});
  }
  return table;
}

FigureTable sums_table(const AuditResult& result) {
  FigureTable table("norms", "2. Norms of one passive participant: correlation with the true ones",
                    "of: norms of; blocks: --insecure-blocks; sums: summed securely");
  for (const SumReading& one : result.sums) {
    table.add({fmt::format("passive participant {}", one.participant), share(one.block_correlation),
               share(one.sum_correlation)});
  }
  table.note(result.sums.size() == 1
                 ? "With two participants, secure summation hides nothing: the active one subtracts its own part."
                 : "Secure summation hides each from the active participant, unless others help it.");
  return table;
}

FigureTable recovery_table(const AuditResult& result) {
  FigureTable table("recovery", "3. Features of all passive participants and all users, from known contexts: error",
                    "known: known contexts; largest; rms; relative: of norm; other_sign: rms with the other sign");
  const auto add = [&](const std::string& what, const RecoveryReading& one) {
    const bool two = one.rms_with_other_sign.has_value();
    table.add({what + (two ? ", up to one sign" : ""), tiny(one.largest_error), fmt::format("{:.2g}", one.rms_error),
               fmt::format("{:.1f}%", 100 * one.relative_error),
               two ? fmt::format("{:.2g}", *one.rms_with_other_sign) : ""});
  };
  for (const RecoveryReading& one : result.recovery) {
    add(fmt::format("{} known of {}", one.known, result.independent), one);
  }
  add("a guess: the mean of those known", result.mean_guess);
  add("control: the block of another mask", result.wrong_block);
  return table;
}

std::string head(const AuditResult& result) {
  return fmt::format("{}\n{} of {} in {}; {} of them are the active participant's\n\n{}\n",
                     terminal_safe(result.data.source), counted(result.data.rows, "context"),
                     counted(result.data.dimension(), "feature"), counted(result.data.columns.size(), "participant"),
                     result.data.columns[0], leakage_headline());
}

std::string unmixing_text(const AuditResult& result) {
  return fmt::format(
      "\n4. The same without any known context: independent component analysis\n"
      "   {} components, {} matched with features; correlation {:.4f} on average, {:.4f} at least; rms error "
      "{:.2g}{}\n",
      result.unmixed.components, result.unmixing.matched, result.unmixing.mean_correlation,
      result.unmixing.least_correlation, result.unmixing.rms_error,
      result.unmixed.converged
          ? ""
          : "\n   (not settled: features are Gaussian, depend on each other, or are many for so few contexts)");
}

std::string generator_text(const AuditResult& result) {
  return fmt::format(
      "\n5. Active participant and mask generator: all features of all users\n"
      "   largest error {:.1e}\n",
      result.generator_error);
}

std::string words_text(const AuditResult& result) {
  std::string text = "\nWhat each role can learn\n";
  std::string role;
  for (const auto& [name, sentence] : leakage_words(result.parameters)) {
    if (name != role) text += fmt::format("   {}\n", name);
    role = name;
    text += fmt::format("     - {}\n", sentence);
  }
  return text;
}

std::string recovery_chart(const AuditResult& result) {
  LineChart chart;
  chart.title = "Root mean square error of recovered features by number of known contexts";
  chart.x_label = "known contexts";
  chart.y_label = "rms error of all features";
  ChartSeries series{"private", "error", {}};
  for (const RecoveryReading& one : result.recovery_curve) {
    series.points.push_back({static_cast<double>(one.known), one.rms_error, {}});
  }
  chart.series = {series};
  return chart_figure(chart,
                      "Features of all passive participants and all users. With one context fewer than all, the better "
                      "of the two signs.");
}

std::string scatter(const AuditResult& result) {
  if (result.unmixing.matches.empty()) return {};
  const MatchReading::Match& best = result.unmixing.matches.front();
  constexpr double side = 380;
  constexpr double margin = 44;
  const std::size_t d = result.data.dimension();
  const std::size_t stride = result.data.rows / 300 + 1;
  std::vector<std::pair<double, double>> points;
  for (std::size_t row = 0; row < result.data.rows; row += stride) {
    points.emplace_back(result.data.values[row * d + result.data.columns[0] + best.feature],
                        best.sign * result.unmixed.values[row * result.unmixed.components + best.component]);
  }
  double low = points[0].first;
  double high = low;
  for (const auto& [truth, guess] : points) {
    low = std::min({low, truth, guess});
    high = std::max({high, truth, guess});
  }
  const auto at = [&](double value) {
    return margin + (value - low) / std::max(high - low, 1e-300) * (side - 2 * margin);
  };
  std::string svg = fmt::format(
      R"(<svg class="chart" style="max-width:{0}px" viewBox="0 0 {0} {0}" role="img"><title>Recovered )"
      R"(against true values of one feature</title><line class="grid" x1="{1}" y1="{2}" x2="{2}" y2="{1}"/>)"
      R"(<line class="axis" x1="{1}" y1="{2}" x2="{2}" y2="{2}"/><line class="axis" x1="{1}" y1="{1}" x2="{1}" y2="{2}"/>)",
      side, margin, side - margin);
  for (const auto& [truth, guess] : points) {
    svg += fmt::format(R"(<circle class="dot-private" cx="{:.1f}" cy="{:.1f}" r="2"/>)", at(truth), side - at(guess));
  }
  svg += fmt::format(
      R"(<text class="label" x="{}" y="{}" text-anchor="middle">true value</text>)"
      R"svg(<text class="label" x="18" y="{}" text-anchor="middle" transform="rotate(-90 18 {})">recovered</text></svg>)svg",
      side / 2, side - 14, side / 2, side / 2);
  return element("figure", "",
                 svg + element("figcaption", "",
                               fmt::format("One feature of up to 300 users, correlation {:.4f}.", best.correlation)));
}

PageSection unmixing_section(const AuditResult& result) {
  const std::string text = fmt::format(
      "Independent component analysis of the masked contexts, by someone who knows no context of others: {} of {} "
      "features matched, correlation <strong>{:.4f}</strong> on average and {:.4f} at least, rms error {:.2g}.{}",
      result.unmixing.matched, result.data.dimension() - result.data.columns[0], result.unmixing.mean_correlation,
      result.unmixing.least_correlation, result.unmixing.rms_error,
      result.unmixed.converged
          ? ""
          : " It did not settle: features are Gaussian, depend on each other, or are many for so few contexts.");
  return {"Without any known context", paragraph(text) + scatter(result)};
}

PageSection generator_section(const AuditResult& result) {
  return {"Active participant and mask generator together",
          element("p", "",
                  fmt::format("They read every feature of every user: largest error <strong>{:.1e}</strong>.",
                              result.generator_error))};
}

struct AuditArguments {
  O3mFiles files;
  std::optional<std::size_t> arms;
  GeneratedUsers generated;
  AuditOptions options;
  LabOutput output;
};

AuditData audit_data(const AuditArguments& arguments) {
  if (arguments.files.active.empty() != arguments.files.passive.empty()) {
    throw InputError(arguments.files.active.empty() ? "--ap" : "--passive",
                     "missing: give the files of all participants, or none for generated users");
  }
  if (arguments.files.active.empty()) return generate_users(arguments.generated);
  return read_users(arguments.files, arguments.arms, arguments.generated.users);
}

void run_audit(const AuditArguments& arguments) {
  check_out_file(arguments.output.out, arguments.output.overwrite);
  const AuditResult result = run_audit(audit_data(arguments), arguments.options);
  if (!arguments.output.out.empty()) write_file(arguments.output.out, audit_html(result, command_line()));
  const std::string text = arguments.output.json ? json_text(to_json(result), 2) + "\n" : to_text(result);
  std::fputs(text.c_str(), stdout);
}

void add_data_options(Command& command, AuditArguments& arguments) {
  add_o3m_file_options(command, arguments.files);
  command.add_option("--arms", arguments.arms, "Arms, for user features without --arms-file")->number(whole(1, 100000));
  command.add_option("--users", arguments.generated.users, "Contexts to generate, or to take from the files at most",
                     whole(2, 20000));
  command.add_option("--dimension", arguments.generated.dimension, "Features of generated users", whole(2, 200));
  command.add_option("--own", arguments.generated.own, "How many of them the active participant has", whole());
  command.add_option("--participants", arguments.generated.participants,
                     "Participants of generated users, the active one too", whole());
}

}  // namespace

AuditResult run_audit(AuditData data, const AuditOptions& options) {
  if (data.rows <= data.dimension()) {
    throw InputError(fmt::format("{} of {}: an audit needs more contexts than features, or none is left to recover",
                                 counted(data.rows, "context"), counted(data.dimension(), "feature")));
  }
  AuditResult result;
  result.parameters = parameters_of(data);
  const MaskedUsers users = mask_users(data, options.seed);
  const std::vector<double> others = data.others();
  result.geometry = read_all_geometry(data, users);
  result.sums = read_sums(data, users);

  const std::vector<std::size_t> rows = independent_rows(others, data.rows, users.view.others());
  const std::span<const std::size_t> known(rows);
  result.independent = known.size();
  for (const std::size_t count : attempts(options.known, known.size())) {
    result.recovery.push_back(recover_from_known(users.view, others, known.first(count)));
  }
  const std::size_t step = known.size() / curve_steps + 1;
  for (std::size_t count = 0; count < known.size(); count += step) {
    result.recovery_curve.push_back(recover_from_known(users.view, others, known.first(count)));
  }
  result.recovery_curve.push_back(recover_from_known(users.view, others, known));
  result.mean_guess = guess_mean(others, data.rows, known);
  result.wrong_block = recover_from_known(with_wrong_block(data, users, options.seed), others, known);

  result.unmixed = fast_ica(others_rotated(users.view), data.rows, options.seed);
  result.unmixing = match(result.unmixed, others, data.rows);
  result.generator_error = error_with_mask(users.view, users.mask, data.values);
  result.data = std::move(data);
  return result;
}

std::string to_text(const AuditResult& result) {
  std::string text = head(result);
  for (const FigureTable& table : {geometry_table(result), sums_table(result), recovery_table(result)}) {
    text += "\n" + table.to_text();
  }
  return text + unmixing_text(result) + generator_text(result) + words_text(result);
}

nlohmann::ordered_json to_json(const AuditResult& result) {
  nlohmann::ordered_json json{{"source", result.data.source},
                              {"contexts", result.data.rows},
                              {"columns", result.data.columns},
                              {"headline", leakage_headline()}};
  json["geometry"] = json_of(result.geometry);
  json["norms_of_one_participant"] = json_of(result.sums);
  json["independent_contexts"] = result.independent;
  json["recovery"] = json_of(result.recovery);
  json["guess_of_the_mean"] = json_of(result.mean_guess);
  json["recovery_with_wrong_block"] = json_of(result.wrong_block);
  json["unmixing"] = {{"components", result.unmixed.components},
                      {"matched", result.unmixing.matched},
                      {"iterations", result.unmixed.iterations},
                      {"converged", result.unmixed.converged},
                      {"mean_correlation", result.unmixing.mean_correlation},
                      {"least_correlation", result.unmixing.least_correlation},
                      {"rms_error", result.unmixing.rms_error}};
  json["mask_generator_error"] = result.generator_error;
  json["leakage"] = leakage(result.parameters);
  return json;
}

std::string audit_html(const AuditResult& result, const std::string& command) {
  ReportPage page;
  page.title = "what O3M leaks";
  page.eyebrow = escape_html(
      fmt::format("sotto · {} · {}, {}, {}", result.data.source, counted(result.data.rows, "context"),
                  counted(result.data.dimension(), "feature"), counted(result.data.columns.size(), "participant")));
  page.heading = "What O3M leaks";
  page.verdict = escape_html(leakage_headline());
  page.sections = {
      {"Geometry passes through the mask",
       paragraph("Read off masked contexts alone, and compared with the true values: the largest error over all users "
                 "or pairs.") +
           geometry_table(result).to_html()},
      {"What secure summation prevents",
       paragraph("Correlation of the norms that the active participant computes from what one participant sends with "
                 "the true ones.") +
           sums_table(result).to_html()},
      {"Known contexts undo the mask",
       paragraph("The active participant knows its own block of the mask and its own features. Contexts of others that "
                 "it happens to know give it the rest: features of all users.") +
           recovery_table(result).to_html() + recovery_chart(result)},
      unmixing_section(result),
      generator_section(result),
      leakage_section(result.parameters),
      {"Command", element("pre", "", escape_html(command))}};
  return to_html(page);
}

void add_o3m_audit_command(Command& app) {
  Command* command =
      app.add_subcommand("audit", "Show what O3M leaks: geometry, recovery from known contexts, unmixing");
  const auto arguments = std::make_shared<AuditArguments>();
  add_data_options(*command, *arguments);
  command
      ->add_option("--known", arguments->options.known,
                   "Contexts of others that the active participant knows; several in turn")
      ->number(whole())
      ->separated_by(',');
  command->add_option("--seed", arguments->options.seed, "Of the mask and of generated users", whole());
  add_output_options(*command, arguments->output, "A page with charts; it shows features of the data");
  command->footer(
      "Nothing is sent anywhere. Without files, users are generated.\n"
      "Examples:\n"
      "  sotto-lab audit --out audit.html\n"
      "  sotto-lab audit --dimension 40 --own 10 --known 30,29,20\n"
      "  sotto-lab audit --ap a.csv --passive b.csv --passive c.csv");
  command->callback([arguments] {
    arguments->generated.seed = arguments->options.seed;
    run_audit(*arguments);
  });
}

}  // namespace sotto::apps::lab
