#include "bench/lab/o3m_paper/o3m_paper.h"

namespace sotto::apps::lab {
namespace {

// A smaller difference is only rounding, and a logarithmic axis cannot show 0.
constexpr double least_drawn = 1e-17;

constexpr std::array css_names{"o3m-central", "o3m-masked", "o3m-most", "o3m-least", "o3m-uniform"};

const char* css_name(PaperPolicy policy) { return css_names.at(static_cast<std::size_t>(policy)); }

ChartSeries series_of(const RegretRuns& runs, LinearAlgorithm algorithm, PaperPolicy policy,
                      const RepeatedCurve& curve) {
  ChartSeries series{css_name(policy), policy_name(algorithm, policy), {}};
  for (std::size_t i = 0; i < runs.points.size(); ++i) {
    const MeanAndSd value = at_point(curve, i);
    series.points.push_back(mean_point(static_cast<double>(runs.points[i]), value, runs.settings.repeats));
  }
  return series;
}

LineChart regret_chart(const RegretRuns& runs, LinearAlgorithm algorithm, const std::vector<PaperPolicy>& policies) {
  LineChart chart{.title = fmt::format("Cumulative regret by step, {}", noise_name(runs.settings.noise_sd)),
                  .x_label = "steps",
                  .y_label = "cumulative regret",
                  .log_y = true};
  for (const PaperPolicy policy : policies) {
    chart.series.push_back(series_of(runs, algorithm, policy, runs.of(algorithm, policy).regret));
  }
  return chart;
}

LineChart norm_chart(const RegretRuns& runs, LinearAlgorithm algorithm) {
  LineChart chart{.title = fmt::format("Difference of the norms of theta from the central bandit's, {}",
                                       noise_name(runs.settings.noise_sd)),
                  .x_label = "steps",
                  .y_label = "difference of norms",
                  .log_y = true};
  for (const PaperPolicy policy : {PaperPolicy::masked, PaperPolicy::most, PaperPolicy::least}) {
    ChartSeries series = series_of(runs, algorithm, policy, runs.of(algorithm, policy).norm_difference);
    for (ChartPoint& point : series.points) {
      point.y = std::max(point.y, least_drawn);
      point.sd.reset();  // a band of one standard deviation would reach below 0
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

ChartSeries model_series(LinearAlgorithm algorithm, std::size_t arms, std::size_t index) {
  ChartSeries series{fmt::format("o3m-k{}", index), fmt::format("K = {}, the paper's model", arms), {}};
  for (std::size_t d = 50; d <= 1000; d += 50) {
    series.points.push_back({static_cast<double>(d), relative_cost(algorithm, {5000, arms, d, 5}), std::nullopt});
  }
  return series;
}

LineChart computation_chart(const PaperRuns& runs, LinearAlgorithm algorithm) {
  LineChart chart{fmt::format("Computation of {}, relative to {}", policy_name(algorithm, PaperPolicy::masked),
                              policy_name(algorithm, PaperPolicy::central)),
                  "features d", "relative cost"};
  std::size_t index = 0;
  for (const std::size_t arms : {100U, 500U, 1000U}) {
    chart.series.push_back(model_series(algorithm, arms, index));
    ChartSeries measured{fmt::format("o3m-m{}", index), fmt::format("K = {}, measured here", arms), {}};
    for (const MeasuredCost& cost : runs.costs) {
      if (cost.algorithm != algorithm || cost.setting.arms != arms) continue;
      measured.points.push_back({static_cast<double>(cost.setting.dimension), cost.relative(), std::nullopt});
    }
    if (!measured.points.empty()) chart.series.push_back(std::move(measured));
    ++index;
  }
  return chart;
}

LineChart communication_chart() {
  LineChart chart{"Bytes of 5000 steps by number of features", "features d", "GB"};
  std::size_t index = 0;
  for (const std::size_t arms : {100U, 500U, 1000U}) {
    ChartSeries model{fmt::format("o3m-k{}", index), fmt::format("K = {}, the paper's model", arms), {}};
    ChartSeries here{fmt::format("o3m-m{}", index), fmt::format("K = {}, sent here", arms), {}};
    for (std::size_t d = 100; d <= 1000; d += 100) {
      const CostSetting setting{5000, arms, d, 5};
      const auto x = static_cast<double>(d);
      model.points.push_back({x, model_bytes(setting) / 1e9, std::nullopt});
      here.points.push_back({x, planned_bytes(setting) / 1e9, std::nullopt});
    }
    chart.series.push_back(std::move(model));
    chart.series.push_back(std::move(here));
    ++index;
  }
  return chart;
}

// Each point is the mean over the runs that have kept an event so far.
ChartSeries criteo_series(const CriteoPolicy& policy, const char* css, double random) {
  ChartSeries series{css, policy.name, {}};
  const std::vector<ReplayPoint>* longest = nullptr;
  for (const ReplayEstimate& run : policy.runs) {
    if (longest == nullptr || run.curve().size() > longest->size()) longest = &run.curve();
  }
  if (longest == nullptr) return series;
  for (const ReplayPoint& at : *longest) {
    std::vector<double> values;
    for (const ReplayEstimate& run : policy.runs) {
      const auto same = std::find_if(run.curve().begin(), run.curve().end(),
                                     [&](const ReplayPoint& p) { return p.events == at.events; });
      if (same != run.curve().end()) values.push_back(same->reward / random);
    }
    series.points.push_back(mean_point(static_cast<double>(at.events), mean_and_sd(values), policy.runs.size()));
  }
  return series;
}

std::string figure(const PageFigure& figure) {
  return element("h3", "", escape_html(figure.heading + ": " + figure.chart.title)) +
         chart_figure(figure.chart, figure.caption);
}

PageSection figures(const std::string& heading, const std::vector<PageFigure>& all) {
  PageSection section{heading, {}};
  for (const PageFigure& one : all) section.content += figure(one);
  return section;
}

PageSection settings_section(const RegretSettings& s) {
  std::string text = fmt::format(
      "Contexts uniform on the unit sphere of {} dimensions for each of {} arms and every step, theta uniform on it; "
      "features in blocks of {}; beta = {:g}, v = {:g}, ridge {:g}; the noise of the reward with a standard deviation "
      "and with a variance of 0.05, since the paper does not say which. All policies of a repeat meet the same "
      "contexts and noise; masked and central bandits share their ties and LinTS&rsquo;s draws.",
      s.dimension(), s.arms, fmt::join(s.columns, ", "), s.beta, s.v, s.lambda);
  return {"The synthetic experiment", paragraph(text)};
}

std::vector<PageFigure> regret_charts(const RegretRuns& runs) {
  using enum PaperPolicy;
  std::vector<PageFigure> charts;
  const auto add = [&](const char* heading, const char* caption, LineChart chart) {
    charts.push_back({heading, caption, std::move(chart)});
  };
  const auto figure_4 = [&](LinearAlgorithm algorithm, const char* regret, const char* norms) {
    add(regret,
        "Logarithmic scale. The masked bandit pulls the arms of the central one, so that the two lines are one. "
        "Shaded: one standard deviation over the repeats.",
        regret_chart(runs, algorithm, {central, masked, most, least, uniform}));
    add(norms,
        "The size of |theta| - |theta of the central bandit|, logarithmic scale: for the masked bandit nothing but "
        "rounding, where the paper has almost 0.",
        norm_chart(runs, algorithm));
  };
  figure_4(LinearAlgorithm::ucb, "Figure 4 (a)", "Figure 4 (b)");
  figure_4(LinearAlgorithm::ts, "Figure 4 (c)", "Figure 4 (d)");
  const char* partial = "With all features of all participants, and with a part of them alone.";
  add("Figure 6 (a)", partial, regret_chart(runs, LinearAlgorithm::ucb, {masked, most, least}));
  add("Figure 6 (b)", partial, regret_chart(runs, LinearAlgorithm::ts, {masked, most, least}));
  return charts;
}

std::vector<PageFigure> cost_charts(const PaperRuns& runs) {
  const char* ucb =
      "Whole: counted by the paper's model, of naive implementations. Dashed: measured here, all participants "
      "together, where no step inverts a matrix and masking is most of what is left.";
  const char* ts =
      "Whole: counted by the paper's model. Dashed: measured here, all participants together, where LinTS draws the "
      "scores of K arms at once.";
  return {
      {"Figure 5 (a)", ucb, computation_chart(runs, LinearAlgorithm::ucb)},
      {"Figure 5 (b)", ts, computation_chart(runs, LinearAlgorithm::ts)},
      {"Figure 5 (c)", "Whole: the paper's model, 8 bytes an element. Dashed: exactly what this implementation sends.",
       communication_chart()}};
}

PageFigure criteo_chart(const CriteoRuns& runs) {
  PageFigure chart{"Figure 6 (c)",
                   "Mean reward of the events kept so far, divided by the rate of random play at the end. Shaded: one "
                   "standard deviation over partitions.",
                   {}};
  chart.chart = {"Relative click-through rate by events of the log", "events", "relative CTR"};
  const std::optional<double> random = runs.policy("random").ctr();
  if (!random || *random <= 0) return chart;
  const auto add = [&](const char* key, PaperPolicy policy) {
    chart.chart.series.push_back(criteo_series(runs.policy(key), css_name(policy), *random));
  };
  add("linucb", PaperPolicy::central);
  add("vfucb", PaperPolicy::masked);
  add("linucb_80", PaperPolicy::most);
  add("linucb_20", PaperPolicy::least);
  chart.chart.baselines.push_back({"random play", 1});
  return chart;
}

std::string paper_chart_style() {
  std::vector<SeriesStyle> looks{
      {"o3m-central", "#8fb4d9", "#47698c", "stroke-width: 6;", false},
      {"o3m-masked", "#12406e", "#b6d7fa", "stroke-width: 2;"},
      {"o3m-most", "#b8651b", "#e6a55c", "stroke-dasharray: 9 4;"},
      {"o3m-least", "#a3221a", "#ff9d94", "stroke-dasharray: 3 4;"},
      {"o3m-uniform", "#7a828c", "#a0a7b0", "stroke-width: 1.6;", false},
  };
  constexpr std::array colours{std::pair{"#1d5c9e", "#7ab4f0"}, std::pair{"#b8651b", "#e6a55c"},
                               std::pair{"#2d6a4f", "#7bc8a0"}};
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const auto [light, dark] = colours[i];
    looks.push_back({fmt::format("o3m-k{}", i), light, dark});
    looks.push_back({fmt::format("o3m-m{}", i), light, dark, "stroke-dasharray: 3 5;"});
  }
  return series_style(looks);
}

struct O3mPaperArguments {
  PaperOptions options;
  CriteoSettings criteo;
  std::vector<double> scales;
  Option* repeats = nullptr;
};

PaperOptions options_of(const O3mPaperArguments& arguments) {
  constexpr std::size_t quick_repeats = 8;
  PaperOptions options = arguments.options;
  if (options.quick && arguments.repeats->count() == 0) options.synthetic.repeats = quick_repeats;
  if (arguments.criteo.file.empty()) return options;
  options.criteo = arguments.criteo;
  options.criteo->seed = options.synthetic.seed;
  if (arguments.scales.empty()) return options;
  if (arguments.scales.size() != criteo_integers) {
    throw InputError("--criteo-scales", fmt::format("{} numbers are needed, one a user feature", criteo_integers));
  }
  std::copy(arguments.scales.begin(), arguments.scales.end(), options.criteo->scales.begin());
  return options;
}

void declare_o3m_paper(Command& command, O3mPaperArguments& arguments) {
  RegretSettings& synthetic = arguments.options.synthetic;
  arguments.repeats =
      command.add_option("--repeats", synthetic.repeats, "Repeats of the synthetic experiment", whole(1, 10'000));
  command.add_option("--steps", synthetic.steps, "Steps of it; the reference to compare with is for 5000",
                     whole(1, 100'000'000));
  add_first_seed(command, synthetic.seed, "repeat");
  command.add_flag("--quick", arguments.options.quick,
                   "8 repeats unless --repeats says other, and fewer sizes for figure 5");
  command.add_option("--criteo", arguments.criteo.file, "A Criteo log (train.txt, unpacked): adds figure 6 (c)")
      ->type_name("FILE");
  command.add_option("--criteo-rows", arguments.criteo.rows, "Rows of it, from the start",
                     whole(1, std::uint64_t{1} << 40));
  command
      .add_option("--criteo-scales", arguments.scales,
                  "13 factors of the user's features, after they were scaled to [0, 1] (default: 1)")
      ->number(real())
      ->separated_by(',')
      ->type_name("NUMBERS");
}

Play plan_o3m_paper(const O3mPaperArguments& arguments) {
  return [options = options_of(arguments)](const Runner& runner) { return o3m_paper(play_o3m_paper(options, runner)); };
}

}  // namespace

ReportPage o3m_paper_page(const PaperRuns& runs, const std::vector<FigureTable>& tables) {
  const RegretSettings& s = runs.options.synthetic;
  ReportPage page;
  page.title = "vertical federated linear bandits, reproduced";
  page.style = paper_chart_style();
  page.eyebrow = fmt::format("sotto-lab paper o3m &middot; d = {}, K = {}, {}, {}", s.dimension(), s.arms,
                             human_count(s.steps, "step"), counted(s.repeats, "repeat"));
  page.heading = "Vertical federated linear bandits, reproduced";
  page.about =
      "The experiments of Cao et al. 2022, <em>Vertical Federated Linear Contextual Bandits</em>, played with this "
      "implementation&rsquo;s bandit, mask and fixed point. Masked contexts lose nothing; what they do not hide is "
      "another matter: the active participant learns norms, distances and inner products of all contexts exactly, and "
      "features themselves from little more. <code>sotto-lab audit</code> shows it.";
  page.add_tables(std::span(tables).first(1));
  page.sections.push_back(settings_section(s));
  for (const RegretRuns& of_noise : runs.regret) {
    page.sections.push_back(
        figures("Figures 4 and 6, " + noise_name(of_noise.settings.noise_sd), regret_charts(of_noise)));
  }
  page.sections.push_back(figures("Figure 5, costs", cost_charts(runs)));
  page.sections.push_back({"Figure 6 (c), the Criteo log",
                           runs.criteo ? figure(criteo_chart(*runs.criteo)) : paragraph(escape_html(no_criteo))});
  page.add_tables(std::span(tables).subspan(1));
  return page;
}

void add_o3m_paper_command(Command& paper) {
  add_experiment<O3mPaperArguments>(*paper.add_subcommand("o3m", "Figures 4 to 6 and table 1 of Cao et al. 2022 (O3M)"),
                                    "Examples:\n"
                                    "  sotto-lab paper o3m --out paper\n"
                                    "  sotto-lab paper o3m --quick --json\n"
                                    "  sotto-lab paper o3m --criteo train.txt --criteo-rows 5000000",
                                    declare_o3m_paper, plan_o3m_paper);
}

}  // namespace sotto::apps::lab
