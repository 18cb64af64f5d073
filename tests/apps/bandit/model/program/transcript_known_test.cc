// Everything that flows in a short run of the bandit, as SHA-256 sums: frames, the dealer's chunks, the opened model.
//
// The sums change with the wire format, with what a step masks, opens or is dealt, with the order of draws and of
// slots, with a width of the plan, and with the site below. A change that means none of these keeps them.
#include "apps/bandit/model/parameters.h"
#include "apps/bandit/model/program/plan_bandit.h"
#include "apps/bandit/model/program/private_bandit.h"
#include "apps/bandit/model/sites.h"
#include "sotto/protocol/mesh/handshake/session.h"
#include "sotto/protocol/simulate/simulate.h"
#include "sotto/protocol/wire/hex.h"
#include "tests/framework.h"

namespace sotto::apps::bandit {
namespace {

// Features and rewards that follow from their place alone, in whole numbers.
class PlacedSite final : public SiteOf<Contexts, Arms, Rewards> {
 public:
  explicit PlacedSite(const BanditPlan& plan) : plan_(plan) {}
  void context(std::size_t party, std::uint64_t step, std::span<std::uint64_t> out) override {
    // |x_i| < B / 4, for at most 7 features.
    const unsigned bits = plan_.context_bits - 2 + (plan_.parameters.max_norm > 1 ? 1 : 0);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = number(16 * step + 4 * party + i, bits);
  }
  void pull(std::uint64_t, std::size_t arm) override { arm_ = arm; }
  std::uint64_t reward(std::uint64_t step) override { return number(1000 + 100 * step + arm_, plan_.reward_bits); }

 private:
  // In (-2^bits, 2^bits).
  static std::uint64_t number(std::uint64_t place, unsigned bits) {
    const std::uint64_t word = (place + 1) * 0x9e3779b97f4a7c15;
    const std::uint64_t size = (word >> 8) & ((std::uint64_t{1} << bits) - 1);
    return (word & 1) == 0 ? size : std::uint64_t{0} - size;
  }

  const BanditPlan& plan_;
  std::size_t arm_ = 0;
};

struct Case {
  std::vector<std::size_t> columns;
  std::size_t arms;
  double max_norm;
  const char* sum;
};

void append(std::string& text, const Bytes& bytes) {
  text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// Each frame and chunk under a line that says where it belongs, in the order in which the simulation carries them.
std::string transcript_of(const Case& c) {
  BanditParameters parameters;
  parameters.columns = c.columns;
  parameters.arms = c.arms;
  parameters.steps = 3;
  parameters.max_norm = c.max_norm;
  parameters.binary_rewards = false;
  parameters.exploration.threshold = std::uint64_t{1} << 62;
  parameters.reveal_model = true;
  const BanditPlan plan = plan_bandit(std::move(parameters));
  PlacedSite site(plan);

  std::string text;
  protocols::SimulationOptions options;
  options.insecure_seed = 1;
  options.tap = [&](NodeId from, NodeId to, std::uint64_t round, Bytes& frame) {
    text += "frame " + std::to_string(from) + " " + std::to_string(to) + " " + std::to_string(round) + "\n";
    append(text, frame);
  };
  options.chunk_tap = [&](std::uint64_t number, Bytes& chunk) {
    text += "chunk " + std::to_string(number) + "\n";
    append(text, chunk);
  };
  const auto program = [&](Party& party) { return private_bandit(party, plan, site); };
  const auto run = protocols::simulate(plan.parameters.topology(), program, std::move(options));
  const BanditModel& model = run.nodes.front();
  for (const Public* value : {&model.weights, &model.inverse_triangles}) {
    value->if_known([&](const Words& words) {
      for (const std::uint64_t word : words) text += std::to_string(word) + "\n";
    });
  }
  return text;
}

TEST(BanditTranscript, IsThatOfBefore) {
  const std::vector<Case> cases{
      {{2, 3}, 10, 1, "ff92f698c0b4395fe3f80b30b1121e57749eae0c9b177877479d38c6c2e66ed3"},
      {{2, 3}, 10, 2, "52446ffa83e2c4e4120010690660d3623859e62d00736e432d38abcb2e9ce558"},
      {{2, 3}, 70, 1, "c63760a735b925840a2c0ae2f2630131d90f894a7aedf4600fe156045c882a27"},
      {{2, 3}, 70, 2, "e8e265503df1736a2edfd726c13842b0ba88d92519597b741b0e09d4273ad1b2"},
      {{2, 1, 2}, 10, 1, "021added043f8d345e3faa456ed81517db9929009b2fd4798e030146b6f7b1ad"},
      {{2, 1, 2}, 10, 2, "de0a4f54657482089d04d3086ab7b04428ba721038b83f926542954ebbca988d"},
      {{2, 1, 2}, 70, 1, "75d8f75be486eb4d62bd7de38b09fb35f274cff607dbe42ceea29d67b734a44a"},
      {{2, 1, 2}, 70, 2, "a4558ef6fe6f1645f02958e7f67ac42aca59e3da5f4e45157932958711e6ed7b"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(hex(net::sha256(transcript_of(c))), c.sum)
        << c.columns.size() << " parties, " << c.arms << " arms, norms up to " << c.max_norm;
  }
}

}  // namespace
}  // namespace sotto::apps::bandit
