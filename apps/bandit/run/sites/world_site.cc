#include "apps/bandit/run/sites/world_site.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "apps/bandit/run/sites/local_socket.h"
#include "apps/kit/http/json_body.h"
#include "apps/prepare/data/contexts.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto::apps::bandit::run {
namespace {

// The role waits for the world only half of the round deadline, so the role reports a silent world before its peers
// report a silent role.
constexpr double part_of_the_deadline = 0.5;

WorldEnds ends_of(const BanditLinks& role, const RoleInputs& inputs, const std::atomic<bool>& interrupted) {
  return WorldEnds{world_path(inputs.world, "world in [role]"), role.connect_deadline_seconds,
                   part_of_the_deadline * role.round_deadline_seconds, interrupted};
}

class WorldRewards final : public RewardSource {
 public:
  WorldRewards(WorldEnds ends, const BanditRun& run)
      : line_(std::move(ends), fmt::format(R"({{"line":"world","arms":{},"rewards":"{}","steps":{}}})", run.arms,
                                           run.binary_rewards ? "binary" : "real", run.steps)),
        arms_(run.arms),
        binary_(run.binary_rewards) {}

  [[nodiscard]] std::size_t arms() const override { return arms_; }
  void pulled(std::uint64_t step, std::size_t arm) override {
    line_.send(fmt::format(R"({{"step":{},"arm":{}}})", step, arm));
  }
  [[nodiscard]] double reward(std::uint64_t step, std::size_t) override {
    return read_world_reward(line_.receive(step), step, binary_, line_.path().string());
  }

 private:
  WorldLine line_;
  std::size_t arms_;
  bool binary_;
};

constexpr std::size_t longest_answer = 256 * 1024;          // number of bytes
constexpr std::size_t most_unread = std::size_t{64} << 20;  // number of bytes

NetworkError lost(const std::filesystem::path& path, const std::string& what) {
  return {"world", fmt::format("the world at {} {}: look at its own message", path.string(), what)};
}

Descriptor connected(const WorldEnds& ends) {
  std::optional<Descriptor> socket =
      connect_within(ends.connect_seconds, ends.path, "the line to the world", ends.interrupted);
  if (!socket) {
    throw NetworkError("world", fmt::format("no world listens at {} after {} s: start it, or correct the path",
                                            ends.path.string(), ends.connect_seconds));
  }
  return *std::move(socket);
}

std::string answer_to(std::uint64_t step) { return fmt::format("the answer to step {}", step); }

template <class Read>
auto read_answer(std::string_view answer, std::uint64_t step, const std::string& where, const Read& read) {
  try {
    const nlohmann::json object = read_json_body(answer);
    JsonFields fields(object);
    const auto said = fields.whole("step", 0, std::numeric_limits<std::uint64_t>::max());
    if (said && *said != step) fields.refuse("step", fmt::format("expected {}", step));
    auto value = read(fields);
    fields.finish();
    return value;
  } catch (const JsonError& error) {
    throw InputError(where, fmt::format("{}: {}", answer_to(step), error.what()));
  }
}

}  // namespace

double world_bound(const BanditRun& run) {
  const double most = run.max_norm.value_or(1);
  return run.joint_norm_holds ? most : most / std::sqrt(static_cast<double>(run.parties));
}

WorldPartySite::WorldPartySite(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs,
                               unsigned fraction_bits, const std::atomic<bool>& interrupted)
    : line_(ends_of(role, inputs, interrupted), fmt::format(R"({{"line":"party {}","columns":{},"steps":{}}})", role.id,
                                                            inputs.columns.value_or(0), run.steps)),
      bound_(world_bound(run)),
      fraction_bits_(fraction_bits) {}

void WorldPartySite::context(std::size_t, std::uint64_t step, std::span<std::uint64_t> out) {
  std::vector<std::uint64_t>& words = rows_[step];
  if (words.empty()) {
    line_.send(fmt::format(R"({{"step":{}}})", step));
    const auto row = read_world_row(line_.receive(step), step, out.size(), bound_, line_.path().string());
    words.reserve(row.size());
    for (const double value : row) words.push_back(sotto::encode(value, fraction_bits_));
  }
  std::copy(words.begin(), words.end(), out.begin());
}

void WorldPartySite::step_done(std::uint64_t step) { rows_.erase(rows_.begin(), rows_.upper_bound(step)); }

std::unique_ptr<RewardSource> world_rewards(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs,
                                            const std::atomic<bool>& interrupted) {
  return std::make_unique<WorldRewards>(ends_of(role, inputs, interrupted), run);
}

WorldLine::WorldLine(WorldEnds ends, const std::string& greeting) : ends_(std::move(ends)), socket_(connected(ends_)) {
  send(greeting);
}

void WorldLine::take_in(const std::string& until) {
  std::array<char, 16 * 1024> bytes{};
  const ssize_t count = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) throw lost(ends_.path, "has closed its line before " + until);
  received_.append(bytes.data(), static_cast<std::size_t>(count));
  if (received_.size() > most_unread) {
    throw InputError(ends_.path.string(), "the world says more than it was asked for: a line for each question");
  }
}

void WorldLine::send(const std::string& line) {
  const std::string text = line + '\n';
  const SocketClock::time_point deadline = seconds_from_now(ends_.answer_seconds);
  for (std::size_t sent = 0; sent < text.size();) {
    const short events = wait_for_events(socket_.get(), POLLIN | POLLOUT, deadline, ends_.interrupted);
    if (events == 0) throw lost(ends_.path, fmt::format("has read nothing for {} s", ends_.answer_seconds));
    if ((events & (POLLIN | POLLHUP)) != 0) take_in("it received all");
    if ((events & POLLOUT) == 0) continue;
    const ssize_t count = ::send(socket_.get(), text.data() + sent, text.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno != EAGAIN && errno != EINTR) throw lost(ends_.path, "has closed its line");
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
}

std::string WorldLine::receive(std::uint64_t step) {
  const SocketClock::time_point deadline = seconds_from_now(ends_.answer_seconds);
  std::size_t looked_at = 0;
  while (true) {
    const std::size_t end = received_.find('\n', looked_at);
    if (std::min(end, received_.size()) > longest_answer) {
      throw InputError(ends_.path.string(), fmt::format("{} is longer than {} bytes", answer_to(step), longest_answer));
    }
    if (end != std::string::npos) {
      std::string answer = received_.substr(0, end);
      received_.erase(0, end + 1);
      return answer;
    }
    looked_at = received_.size();
    if (wait_for_events(socket_.get(), POLLIN, deadline, ends_.interrupted) == 0) {
      throw lost(ends_.path, fmt::format("has not answered step {} within {} s", step, ends_.answer_seconds));
    }
    take_in(fmt::format("it answered step {}", step));
  }
}

std::vector<double> read_world_row(std::string_view answer, std::uint64_t step, std::size_t columns, double norm,
                                   const std::string& where) {
  return read_answer(answer, step, where, [&](JsonFields& fields) {
    std::vector<double> row = fields.need(fields.numbers("x", columns), "x");
    double squares = 0;
    for (const double value : row) squares += value * value;
    if (!(std::sqrt(squares) <= norm * (1 + prepare::norm_slack))) {
      fields.refuse("x", fmt::format("the norm of the row is above {:.6g}", norm));
    }
    return row;
  });
}

double read_world_reward(std::string_view answer, std::uint64_t step, bool binary, const std::string& where) {
  return read_answer(answer, step, where, [&](JsonFields& fields) {
    const double reward = fields.need(fields.number("reward", -1, 1), "reward");
    if (binary && reward != 0 && reward != 1) fields.refuse("reward", "expected 0 or 1");
    return reward;
  });
}

}  // namespace sotto::apps::bandit::run
