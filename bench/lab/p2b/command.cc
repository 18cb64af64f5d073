#include "bench/lab/data/criteo.h"
#include "bench/lab/p2b/simulate.h"

namespace sotto::apps::lab {

using namespace sotto::apps::p2b;
namespace {

struct Common {
  SimulateSettings settings;
  std::vector<std::string> contexts;
  std::vector<std::size_t> codes;
  std::string encoder = "kmeans";
  std::string choice = "uniform";
  Option* repeats = nullptr;
};

constexpr std::size_t most_users = 100'000'000;
constexpr std::size_t most_steps = 1'000'000;

void add_common(Command& command, Common& common) {
  SimulateSettings& s = common.settings;
  command.add_option("--p", s.p, "Probability that a user reports", real(0, 1));
  command.add_option("--threshold", s.threshold, "Codes with fewer tuples are dropped (l)", whole());
  command.add_option("--early", s.early, "Share of the users that are early", real(0, 1));
  command.add_option("--alpha", s.alpha, "LinUCB's weight of the confidence width", real_from_zero());
  command.add_option("--codes", common.codes, "Codes k, powers of two")
      ->number(whole())
      ->separated_by(',')
      ->type_name("K,...");
  command
      .add_option("--context", common.contexts, "The context of a code: one-hot, centroid, or both (default: centroid)")
      ->separated_by(',')
      ->type_name("KIND,...");
  command.add_option("--decimals", s.decimals, "Decimals q of the grid", whole(1, most_decimals));
  command.add_option("--encoder", common.encoder, "kmeans or lsh")->shows_default();
  command.add_option("--encoder-seed", s.encoder_seed, "Seed of the encoder, public", whole());
  command.add_option("--centroids", s.centroids, "An encoder of 'sotto p2b encoder' instead of fitting one")
      ->type_name("FILE");
  command
      .add_option("--tuple-choice", common.choice,
                  "uniform, or published: by reward, only to reproduce published figures")
      ->shows_default();
  common.repeats =
      command.add_option("--repeats", s.repeats, "Repeats, for means and 95% bands")->number(whole(1, 10'000));
  add_first_seed(command, s.seed, "repeat");
  command.add_option("--threads", s.threads, "0: one a core; results are the same", whole(0, 1024));
}

struct Defaults {
  std::vector<ContextKind> contexts;
  std::size_t codes = 0;  // 0: chosen by the dimension
  std::size_t repeats = 1;
};

SimulateSettings settings_of(const Common& common, const Defaults& defaults) {
  SimulateSettings settings = common.settings;
  settings.encoder = parse_encoder_kind(common.encoder, "--encoder");
  settings.choice = parse_tuple_choice(common.choice, "--tuple-choice");
  if (common.repeats->count() == 0) settings.repeats = defaults.repeats;
  std::vector<ContextKind> contexts = defaults.contexts;
  if (!common.contexts.empty()) contexts.clear();
  for (const std::string& kind : common.contexts) {
    contexts.push_back(parse_context_kind(kind, "--context"));
  }
  const std::vector<std::size_t> codes = common.codes.empty() ? std::vector<std::size_t>{defaults.codes} : common.codes;
  settings.variants.clear();
  for (const std::size_t k : codes) {
    for (const ContextKind kind : contexts) settings.variants.push_back({kind, k});
  }
  check_simulate_settings(settings);
  return settings;
}

const std::vector<ContextKind> both_contexts{ContextKind::one_hot, ContextKind::centroid};

void declare_data(Command& command, SyntheticExperiment& experiment) {
  SyntheticSettings& world = experiment.world;
  Option* users = command.add_option("--users", experiment.users, "Users, early and late ones")
                      ->separated_by(',')
                      ->type_name("N,...")
                      ->number(whole(2, most_users));
  command.add_option("--dim", world.dimension, "Features d of a context", whole(1, most_dimension))->needs(users);
  command.add_option("--arms", world.arms, "Arms A", whole(2, 10'000))->needs(users);
  command.add_option("--steps", world.steps, "Steps T of each user", whole(1, most_steps))->needs(users);
  command.add_flag("--quick", experiment.quick, "Of the paper's experiment fewer repeats and sizes")->excludes(users);
}

void declare_data(Command& command, MultiLabelSettings& data) {
  command.add_option("--data", data.file, "The data: .arff, or libsvm's format")->type_name("FILE")->required();
  command
      .add_option("--labels", data.labels.count,
                  "ARFF: how many attributes are labels, where its relation does not say")
      ->number(whole());
  command.add_flag("--labels-first", data.labels.first, "ARFF: the first ones, not the last ones");
  command.add_option("--dim", data.dimension, "Features of a context", whole(1, most_dimension));
  command.add_option("--arms", data.arms, "Labels that are arms", whole(2, 10'000));
  command.add_option("--steps", data.steps, "Rows of each user", whole(1, most_steps));
}

void declare_data(Command& command, CriteoWorldSettings& data) {
  command.add_option("--data", data.file, "The log (train.txt, unpacked)")->type_name("FILE")->required();
  command.add_option("--rows", data.rows, "Rows of it, from the start (default: all)")
      ->number(whole(1, std::uint64_t{1} << 40));
  command.add_option("--dim", data.dimension, "Features of a context", whole(1, criteo_integers));
  command.add_option("--arms", data.arms, "Kinds of advertisement that are arms", whole(2, 10'000));
  command.add_option("--users", data.users, "Users, at most", whole(2, most_users));
  command.add_option("--steps", data.steps, "Rows of each user", whole(1, most_steps));
  command.add_flag("--clicked-only", data.clicked_only,
                   "As the authors' code: clicked rows alone, an arm pays where it was the clicked one");
}

void declare_data(Command& command, std::filesystem::path& users) {
  command.add_option("--users", users, "Users of a file: columns user, t, features, reward_0, reward_1, ...")
      ->type_name("FILE");
}

Defaults defaults_of(const SyntheticExperiment& experiment) {
  const bool paper = experiment.users.empty();
  return {{ContextKind::centroid}, 1024, !paper ? 3U : experiment.quick ? 12U : 24U};
}
Defaults defaults_of(const MultiLabelSettings&) { return {both_contexts, 0, 5}; }
Defaults defaults_of(const CriteoWorldSettings&) { return {both_contexts, 0, 3}; }
Defaults defaults_of(const std::filesystem::path& users) {
  if (users.empty()) {
    throw InputError("sotto-lab simulate", "say what to play: synthetic, multilabel, criteo, or --users FILE");
  }
  return {both_contexts, 0, 5};
}

template <class Data>
struct Simulation {
  Common common;
  Data data;
};

template <class Data>
void declare(Command& command, Simulation<Data>& simulation) {
  declare_data(command, simulation.data);
  add_common(command, simulation.common);
}

template <class Data>
Play plan(const Simulation<Data>& simulation) {
  const SimulateSettings settings = settings_of(simulation.common, defaults_of(simulation.data));
  return
      [data = simulation.data, settings](const Runner& runner) { return simulated(simulate(data, settings, runner)); };
}

template <class Data>
void add_simulation(Command& command, const std::string& footer) {
  add_experiment<Simulation<Data>>(command, footer, declare<Data>, plan<Data>);
}

}  // namespace

void add_p2b_simulate_command(Command& app) {
  Command* all =
      app.add_subcommand("simulate", "Play cold, warm and private agents of many simulated users, and compare");
  add_simulation<std::filesystem::path>(*all,
                                        "Examples:\n"
                                        "  sotto-lab simulate synthetic\n"
                                        "  sotto-lab simulate --users users.csv --codes 32 --json");
  add_simulation<SyntheticExperiment>(
      *all->add_subcommand("synthetic",
                           "The synthetic experiment; without --users as in the paper, next to the reference"),
      "Examples:\n"
      "  sotto-lab simulate synthetic --out paper\n"
      "  sotto-lab simulate synthetic --users 1000000 --context one-hot,centroid --json");
  add_simulation<MultiLabelSettings>(
      *all->add_subcommand("multilabel",
                           "Multi-label data (libsvm or ARFF): features are the context, labels the arms"),
      "Examples:\n"
      "  sotto-lab simulate multilabel --data tmc2007_500.arff --labels 22\n"
      "  sotto-lab simulate multilabel --data mediamill.svm --dim 20 --arms 40");
  add_simulation<CriteoWorldSettings>(
      *all->add_subcommand("criteo", "The Criteo log, evaluated by replay of what was shown"),
      "Example:\n  sotto-lab simulate criteo --data train.txt --rows 5000000");
}

}  // namespace sotto::apps::lab
