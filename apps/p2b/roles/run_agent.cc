#include "apps/p2b/roles/roles.h"

#include <fmt/format.h>

#include <memory>
#include <span>
#include <vector>

#include "apps/kit/dp/samplers.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/files/table.h"
#include "apps/p2b/agent.h"
#include "apps/p2b/encoder.h"
#include "apps/p2b/roles/senders.h"
#include "apps/p2b/world.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/transport/tls/identity.h"

namespace sotto::apps::p2b {
namespace {

constexpr std::chrono::seconds model_within{60};

// The agent uses one temporary key for the shuffler and another for the server, so the two cannot combine their
// knowledge about an agent. If a shuffler admits only certain agents, the agent must use its own key.
void make_keys(AgentSettings& settings) {
  const auto fresh = [] { return std::make_shared<const net::Identity>(net::Identity::create("p2b agent")); };
  net::ServiceTrust& of_shuffler = settings.shuffler.trust;
  if (!of_shuffler.plaintext && !of_shuffler.identity) of_shuffler.identity = fresh();
  if (settings.server && !settings.server->trust.plaintext) {
    settings.server->trust.identity = fresh();
  }
}

void check_fit(const AgentSettings& settings, const P2bTerms& terms, const Encoder& encoder, const World& world) {
  if (encoder.codes() != terms.codes) {
    throw DisagreementError(fmt::format("{} has {}, the p2b shuffler takes {}: take the encoder that all use",
                                        settings.encoder.string(), grouped(encoder.codes(), "code"), terms.codes));
  }
  if (world.arms() != terms.arms) {
    throw DisagreementError(fmt::format("{} has rewards of {}, the p2b shuffler takes {}", settings.users.string(),
                                        grouped(world.arms(), "arm"), terms.arms));
  }
  if (world.dimension() != encoder.dimension()) {
    throw InputError(settings.users.string(),
                     fmt::format("{}, where the encoder {} takes {}", grouped(world.dimension(), "feature"),
                                 settings.encoder.string(), encoder.dimension()));
  }
  if (settings.p && *settings.p != terms.p) {
    throw DisagreementError(
        fmt::format("the p2b shuffler is for p = {:g}, --p says {:g}: nothing was reported", terms.p, *settings.p));
  }
}

Model fetch_model(const net::ClientConfig& server, const P2bTerms& terms, const Encoder& encoder,
                  const std::atomic<bool>& interrupted) {
  net::ServiceClient client(server);
  const net::Message answer =
      client.ask({number_of(P2bMessage::model), {}}, net::Clock::now() + model_within, interrupted);
  client.finish(net::Clock::now() + goodbye_within, interrupted);
  const auto model = decode_model(answer.payload);
  if (answer.type != number_of(P2bMessage::model) || !model) {
    throw ProtocolError(ProtocolError::Kind::malformed, p2b_server_name, 0,
                        "the p2b server sent what is no model: it is another program or another version");
  }
  if (const std::string other = difference(model->terms, terms); !other.empty()) {
    throw DisagreementError(fmt::format("the p2b server has {}, says the p2b shuffler: nothing was reported", other));
  }
  try {
    return Model::from_bytes(model->model, &encoder, terms.arms);
  } catch (const InputError& error) {
    throw DisagreementError(fmt::format("the p2b server's model: {}", error.what()));
  }
}

class SentTuples {
 public:
  void add(const std::string& user, const Tuple& tuple) {
    text_ += fmt::format("{},{},{},{}\n", csv_cell(user), tuple.code, tuple.arm, tuple.reward);
  }
  void write(const std::filesystem::path& path) const {
    if (!path.empty()) write_file(path, text_);
  }

 private:
  std::string text_ = "user,code,arm,reward\n";
};

struct Played {
  std::vector<double> contexts;
  double reward = 0;
};

void play_user(const World& world, std::size_t user, Agent& agent, Coins& coins, Played& played, AgentReport& report) {
  const std::size_t steps = world.meet(user, played.contexts);
  for (std::size_t step = 0; step < steps; ++step) {
    const auto context = std::span<const double>(played.contexts).subspan(step * world.dimension(), world.dimension());
    const std::size_t arm = agent.select(context, coins);
    const double reward = world.reward(user, step, context, arm);
    agent.reward(reward);
    played.reward += reward;
  }
  report.interactions += steps;
  ++report.users;
}

}  // namespace

AgentReport run_agent(AgentSettings settings, const std::atomic<bool>& interrupted) {
  const Encoder encoder = read_encoder(settings.encoder);
  const UsersFile users = read_users(settings.users, 1);
  const World& world = *users.world;
  make_keys(settings);
  settings.shuffler.name = p2b_shuffler_name;

  Reporter reporter(settings.shuffler, settings.reporter, interrupted);
  AgentReport report("agent", reporter.terms(), settings.shuffler.trust.plaintext);
  report.rewards_clipped = users.rewards_clipped;
  report.features_clipped = users.features_clipped;
  check_fit(settings, report.terms, encoder, world);

  Model model(ContextKind::one_hot, encoder, world.arms());
  if (settings.server) {
    settings.server->name = p2b_server_name;
    settings.server->longest_message = longest_model_message;
    model = fetch_model(*settings.server, report.terms, encoder, interrupted);
    report.warm = true;
  } else if (settings.contexts != ContextKind::one_hot) {
    model = Model(settings.contexts, encoder, world.arms());
  }
  model.solve();
  report.contexts = model.kind();
  report.model_updates = model.updates();

  Coins coins = Coins::from_os();
  Agent agent(encoder, model);
  Played played;
  SentTuples sent;
  for (std::size_t user = 0; user < world.users(); ++user) {
    if (interrupted) throw Interrupted();
    agent.restart();
    play_user(world, user, agent, coins, played, report);
    const auto tuple = agent.report(report.terms.p, TupleChoice::uniform, coins);
    if (!tuple) continue;
    const std::string& name = users.user_names[user];
    reporter.add(user_token(name), *tuple);
    sent.add(name, *tuple);
  }
  reporter.finish();
  sent.write(settings.tuples);
  report.reports = reporter.totals();
  report.average_reward = report.interactions == 0 ? 0 : played.reward / static_cast<double>(report.interactions);
  return report;
}

std::string summary_text(const AgentReport& report, const TextOptions& options) {
  const ReportTotals& r = report.reports;
  SummaryLines out(options.colour);
  out.title(
      fmt::format("P2B agent: {}, {}", grouped(report.users, "user"), grouped(report.interactions, "interaction")));
  out.row("average reward", fmt::format("{:.4f}", report.average_reward),
          report.warm ? fmt::format("warm: from {}", grouped(report.model_updates, "tuple")) : std::string("cold"));
  out.row("reported", grouped(r.sent), "at most one interaction a user, chosen uniformly");
  out.row("delivered", grouped(r.taken), "the shuffler counts one a user in its life");
  if (r.invalid > 0) out.row("invalid", grouped(r.invalid), "outside the shuffler's terms");
  if (r.reconnected > 0) out.row("reconnected", grouped(r.reconnected), "times");
  if (report.rewards_clipped > 0) {
    out.row("clipped", grouped(report.rewards_clipped), "rewards outside 0..1");
  }
  if (report.features_clipped > 0) {
    out.row("clipped", grouped(report.features_clipped), "features below 0");
  }
  add_privacy(out, report.terms);
  out.insecure(report.insecure);
  return out.text();
}

}  // namespace sotto::apps::p2b
