// Everything that flows in a short run of the bandit, as SHA-256 sums: frames, the dealer's chunks, the opened model.
//
// The sums change with the wire format, with what a step masks, opens or is dealt, with the order of draws and of slots,
// with a width of the plan, and with the site below. A change that means none of these keeps them.
#include "sotto/apps/bandit/parameters.h"
#include "sotto/apps/bandit/private_bandit.h"
#include "sotto/apps/bandit/site.h"
#include "sotto/net/mesh/handshake/session.h"
#include "sotto/protocols/simulate/simulate.h"
#include "tests/framework.h"

namespace sotto::apps {
namespace {

// Features and rewards that follow from their place alone, in whole numbers.
class PlacedSite final : public QuietSite {
 public:
  explicit PlacedSite(const BanditPlan& plan) : plan_(plan) {}
  void context(std::size_t party, std::uint64_t step, std::span<std::uint64_t> out) override {
    // |x_i| < B / 4, for at most 7 features.
    const unsigned bits = plan_.parameters.fraction_bits - 2 + (plan_.parameters.max_norm > 1 ? 1 : 0);
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

std::string hex(const net::Digest& digest) {
  std::string text;
  for (const std::byte byte : digest) {
    text += "0123456789abcdef"[std::to_integer<unsigned>(byte) >> 4];
    text += "0123456789abcdef"[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

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
      {{2, 3}, 10, 1, "c0b33b6531d5fab5598bd80c9e5db06f0fb20a35e8e1d9307cb8ba21d6cb5fd1"},
      {{2, 3}, 10, 2, "ed5d9651873e3400ba4cd9209fcd5e895723c94869c40dc9678bcdcdb7db1f59"},
      {{2, 3}, 70, 1, "751af3d9f8b6695eebf7326740c58c09d404e4be95fea4a6f259793c2df2c205"},
      {{2, 3}, 70, 2, "28cb4ce5bcfdcc79394a8e7a5c516800add36d5e37e402aefc4908e67f72e14c"},
      {{2, 1, 2}, 10, 1, "64e22344c5e64966337be0fb6828b52ca17d83c0033a976fd81dac7e096a8d62"},
      {{2, 1, 2}, 10, 2, "0d2841a3d65da667628622946d69c2a45474ae90b6504fa1780cfa690d7dcde3"},
      {{2, 1, 2}, 70, 1, "200f0a240fe820628c19e374ab7dd8103d752d98d16525fc6664fc43bbc637f5"},
      {{2, 1, 2}, 70, 2, "4878465047ebc27ad51938eedcccd19f1c531a0d4b7ab8a68e4991f1529efebd"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(hex(net::sha256(transcript_of(c))), c.sum)
        << c.columns.size() << " parties, " << c.arms << " arms, norms up to " << c.max_norm;
  }
}

}  // namespace
}  // namespace sotto::apps
