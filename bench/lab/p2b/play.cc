#include "bench/lab/p2b/play.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "apps/kit/learn/replay.h"
#include "apps/kit/learn/tasks.h"
#include "apps/p2b/linucb.h"
#include "bench/lab/p2b/stream.h"

namespace sotto::apps::lab {

using namespace sotto::apps::p2b;
namespace {

constexpr std::size_t users_a_task = 128;
constexpr std::size_t users_for_bounds = 2000;

// The purpose of a stream is the first part of the stream's key. The key of an agent's stream begins with the purpose
// plus the agent's number.
enum PlayStream : std::uint64_t { order = 11, shuffler = 12, early_agent = 100, late_agent = 10'000 };

struct RawReport {
  std::vector<double> context;
  std::size_t arm = 0;
  double reward = 0;
};

struct EarlyReports {
  std::vector<RawReport> raw;
  std::vector<std::vector<Tuple>> tuples;
};

struct LateSums {
  double reward = 0;
  std::uint64_t kept = 0;
  std::uint64_t events = 0;
  std::vector<double> part_rewards;
  std::vector<double> part_kept;

  explicit LateSums(std::size_t parts) : part_rewards(parts), part_kept(parts) {}

  void add(const ReplayEstimate& estimate) {
    reward += estimate.value().value_or(0) * static_cast<double>(estimate.kept());
    kept += estimate.kept();
    events += estimate.events();
  }
  void add_step(std::size_t step, std::size_t steps, double paid) {
    if (part_rewards.empty()) return;
    const std::size_t part = step * part_rewards.size() / steps;
    part_rewards[part] += paid;
    part_kept[part] += 1;
  }
  void add(const LateSums& other) {
    reward += other.reward;
    kept += other.kept;
    events += other.events;
    for (std::size_t part = 0; part < part_rewards.size(); ++part) {
      part_rewards[part] += other.part_rewards[part];
      part_kept[part] += other.part_kept[part];
    }
  }
  [[nodiscard]] LateReward mean() const {
    LateReward mean{kept > 0 ? reward / static_cast<double>(kept) : 0, kept, events, part_rewards};
    for (std::size_t part = 0; part < mean.parts.size(); ++part) {
      mean.parts[part] /= std::max(part_kept[part], 1.0);
    }
    return mean;
  }
};

class Visit {
 public:
  Visit(const World& world, const std::vector<P2bVariant>& variants) : world_(world) {
    for (const P2bVariant& variant : variants) {
      const Encoder* encoder = variant.encoder.get();
      const auto found = std::find(encoders_.begin(), encoders_.end(), encoder);
      places_.push_back(static_cast<std::size_t>(found - encoders_.begin()));
      if (found == encoders_.end()) encoders_.push_back(encoder);
    }
    codes_.resize(encoders_.size());
  }

  void meet(std::size_t user) {
    user_ = user;
    steps_ = world_.meet(user, contexts_);
    for (std::size_t e = 0; e < encoders_.size(); ++e) {
      codes_[e].clear();
      for (std::size_t step = 0; step < steps_; ++step) {
        codes_[e].push_back(encoders_[e]->encode(context(step)));
      }
    }
  }

  [[nodiscard]] std::size_t user() const { return user_; }
  [[nodiscard]] std::size_t steps() const { return steps_; }
  [[nodiscard]] std::span<const double> context(std::size_t step) const {
    return std::span(contexts_).subspan(step * world_.dimension(), world_.dimension());
  }
  [[nodiscard]] std::uint32_t code(std::size_t variant, std::size_t step) const {
    return codes_[places_[variant]][step];
  }

  template <class Select, class Learn>
  void play(Select&& select, Learn&& learn, LateSums* sums) const {
    ReplayEstimate estimate;
    for (std::size_t step = 0; step < steps_; ++step) {
      const std::size_t arm = select(step);
      const std::optional<std::size_t> logged = world_.logged_arm(user_, step);
      const std::size_t shown = logged.value_or(arm);
      const double reward = world_.reward(user_, step, context(step), shown);
      if (!estimate.offer(arm, shown, reward)) continue;
      learn(step, arm, reward);
      if (sums != nullptr) sums->add_step(step, steps_, reward);
    }
    if (sums != nullptr) sums->add(estimate);
  }

 private:
  const World& world_;
  std::vector<const Encoder*> encoders_;
  std::vector<std::size_t> places_;
  std::size_t user_ = 0;
  std::size_t steps_ = 0;
  std::vector<double> contexts_;
  std::vector<std::vector<std::uint32_t>> codes_;
};

void play_raw(const Visit& visit, OwnLinUcb& agent, Stream& draws, std::vector<Tuple>* interactions, LateSums* sums) {
  agent.restart();
  visit.play([&](std::size_t step) { return agent.select(visit.context(step), draws); },
             [&](std::size_t step, std::size_t arm, double reward) {
               agent.update(visit.context(step), arm, reward);
               if (interactions == nullptr) return;
               interactions->push_back({static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(arm), reward});
             },
             sums);
}

void play_encoded(const Visit& visit, std::size_t variant, OwnModel& agent, Stream& draws,
                  std::vector<Tuple>* interactions, LateSums* sums) {
  agent.restart();
  visit.play([&](std::size_t step) { return agent.select(visit.code(variant, step), draws); },
             [&](std::size_t step, std::size_t arm, double reward) {
               const Tuple tuple{visit.code(variant, step), static_cast<std::uint32_t>(arm), reward};
               agent.update(tuple);
               if (interactions != nullptr) interactions->push_back(tuple);
             },
             sums);
}

class P2bRepeat {
 public:
  P2bRepeat(const World& world, const std::vector<P2bVariant>& variants, const PlaySettings& settings,
            const std::atomic<bool>& interrupted, const std::function<void(std::size_t, std::size_t)>& done)
      : world_(world),
        variants_(variants),
        settings_(settings),
        interrupted_(interrupted),
        done_(done),
        early_(early_users(world.users(), settings.early)),
        raw_(world.dimension(), world.arms(), settings.alpha) {
    order_.resize(world.users());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    if (settings.shuffle_users) {
      Stream draws({PlayStream::order, settings.seed});
      draw_order(std::span(order_), draws);
    }
    raw_.solve();
    for (const P2bVariant& variant : variants_) {
      if (variant.encoder == nullptr || variant.encoder->dimension() != world.dimension()) {
        throw std::invalid_argument("play_p2b: an encoder does not fit the world's contexts");
      }
      models_.emplace_back(variant.context, *variant.encoder, world.arms(), settings.alpha);
      models_.back().solve();
    }
  }

  PlayOutcome run() {
    PlayOutcome outcome;
    outcome.early = early_;
    outcome.late = world_.users() - early_;
    outcome.variants.resize(variants_.size());
    LinUcb cold = raw_;
    {
      const std::vector<EarlyReports> reports = play_early();
      learn(reports, outcome);
    }
    play_late(cold, outcome);
    add_bounds(outcome);
    return outcome;
  }

 private:
  void for_users(std::size_t from, std::size_t to,
                 const std::function<void(std::size_t, std::size_t, std::size_t)>& work) {
    const std::size_t tasks = (to - from + users_a_task - 1) / users_a_task;
    run_tasks(tasks, settings_.threads, interrupted_, [&](std::size_t task) {
      const std::size_t first = from + task * users_a_task;
      const std::size_t last = std::min(first + users_a_task, to);
      work(task, first, last);
      const std::size_t played = played_ += last - first;
      if (done_) done_(played, world_.users());
    });
  }

  std::vector<EarlyReports> play_early() {
    std::vector<EarlyReports> reports((early_ + users_a_task - 1) / users_a_task);
    for_users(0, early_, [&](std::size_t task, std::size_t first, std::size_t last) {
      reports[task] = play_early_task(first, last);
    });
    return reports;
  }

  EarlyReports play_early_task(std::size_t first, std::size_t last) {
    EarlyReports reports;
    reports.tuples.resize(variants_.size());
    Visit visit(world_, variants_);
    OwnLinUcb raw(raw_);
    std::vector<OwnModel> agents;
    for (const Model& model : models_) agents.emplace_back(model);
    std::vector<Tuple> interactions;
    for (std::size_t i = first; i < last; ++i) {
      visit.meet(order_[i]);
      interactions.clear();
      Stream draws({PlayStream::early_agent, settings_.seed, visit.user()});
      play_raw(visit, raw, draws, &interactions, nullptr);
      if (const auto place = report(interactions, draws)) {
        const Tuple& chosen = interactions[*place];
        const auto context = visit.context(chosen.code);  // for raw agents, `code` is the number of the step
        reports.raw.push_back({{context.begin(), context.end()}, chosen.arm, chosen.reward});
      }
      for (std::size_t v = 0; v < agents.size(); ++v) {
        interactions.clear();
        Stream own({PlayStream::early_agent + 1 + v, settings_.seed, visit.user()});
        play_encoded(visit, v, agents[v], own, &interactions, nullptr);
        if (const auto place = report(interactions, own)) {
          reports.tuples[v].push_back(interactions[*place]);
        }
      }
    }
    return reports;
  }

  std::optional<std::size_t> report(const std::vector<Tuple>& interactions, Stream& draws) const {
    std::vector<double> rewards;
    rewards.reserve(interactions.size());
    for (const Tuple& tuple : interactions) rewards.push_back(tuple.reward);
    return choose_report(std::span<const double>(rewards), settings_.p, settings_.choice, draws);
  }

  void learn(const std::vector<EarlyReports>& reports, PlayOutcome& outcome) {
    for (const EarlyReports& task : reports) {
      outcome.warm_reports += task.raw.size();
      for (const RawReport& one : task.raw) raw_.learn(one.arm, one.context, 1, one.reward);
    }
    raw_.solve();
    for (std::size_t v = 0; v < variants_.size(); ++v) {
      std::vector<Tuple> batch;
      for (const EarlyReports& task : reports) {
        batch.insert(batch.end(), task.tuples[v].begin(), task.tuples[v].end());
      }
      Stream draws({PlayStream::shuffler, settings_.seed, v});
      const ShuffleResult shuffled = shuffle(std::span<const Tuple>(batch), settings_.threshold, draws);
      outcome.variants[v].received = shuffled.received;
      outcome.variants[v].kept = shuffled.kept;
      outcome.variants[v].dropped = shuffled.dropped;
      outcome.variants[v].codes_dropped = shuffled.codes_dropped;
      models_[v].update(shuffled.survivors);
      models_[v].solve();
    }
  }

  void play_late(const LinUcb& cold, PlayOutcome& outcome) {
    const std::size_t late = world_.users() - early_;
    std::vector<std::vector<LateSums>> tasks((late + users_a_task - 1) / users_a_task);
    for_users(early_, world_.users(), [&](std::size_t task, std::size_t first, std::size_t last) {
      tasks[task] = play_late_task(cold, first, last);
    });
    std::vector<LateSums> sums(2 + variants_.size(), LateSums(settings_.parts));
    for (const std::vector<LateSums>& task : tasks) {
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i].add(task[i]);
    }
    outcome.cold = sums[0].mean();
    outcome.warm = sums[1].mean();
    for (std::size_t v = 0; v < variants_.size(); ++v) outcome.variants[v].late = sums[2 + v].mean();
  }

  std::vector<LateSums> play_late_task(const LinUcb& cold, std::size_t first, std::size_t last) {
    std::vector<LateSums> sums(2 + variants_.size(), LateSums(settings_.parts));
    Visit visit(world_, variants_);
    OwnLinUcb cold_agent(cold);
    OwnLinUcb warm_agent(raw_);
    std::vector<OwnModel> agents;
    for (const Model& model : models_) agents.emplace_back(model);
    for (std::size_t i = first; i < last; ++i) {
      visit.meet(order_[i]);
      const auto draws = [&](std::uint64_t agent) {
        return Stream({PlayStream::late_agent + agent, settings_.seed, visit.user()});
      };
      Stream cold_draws = draws(0);
      play_raw(visit, cold_agent, cold_draws, nullptr, &sums[0]);
      Stream warm_draws = draws(1);
      play_raw(visit, warm_agent, warm_draws, nullptr, &sums[1]);
      for (std::size_t v = 0; v < agents.size(); ++v) {
        Stream own = draws(2 + v);
        play_encoded(visit, v, agents[v], own, nullptr, &sums[2 + v]);
      }
    }
    return sums;
  }

  void add_bounds(PlayOutcome& outcome) const {
    std::vector<double> contexts, rewards(world_.arms());
    double best = 0, all = 0;
    std::uint64_t steps = 0;
    const std::size_t end = std::min(world_.users(), early_ + users_for_bounds);
    for (std::size_t i = early_; i < end; ++i) {
      const std::size_t count = world_.meet(order_[i], contexts);
      for (std::size_t step = 0; step < count; ++step) {
        const auto context = std::span<const double>(contexts).subspan(step * world_.dimension(), world_.dimension());
        if (!world_.expected_rewards(order_[i], step, context, rewards)) return;
        best += *std::max_element(rewards.begin(), rewards.end());
        all += std::accumulate(rewards.begin(), rewards.end(), 0.0) / static_cast<double>(rewards.size());
        ++steps;
      }
    }
    if (steps == 0) return;
    outcome.best = best / static_cast<double>(steps);
    outcome.uniform = all / static_cast<double>(steps);
  }

  const World& world_;
  const std::vector<P2bVariant>& variants_;
  const PlaySettings& settings_;
  const std::atomic<bool>& interrupted_;
  const std::function<void(std::size_t, std::size_t)>& done_;
  std::size_t early_;
  std::vector<std::size_t> order_;
  LinUcb raw_;  // starts with A = I for early users, and with the warm model for late users
  std::vector<Model> models_;
  std::atomic<std::size_t> played_{0};
};

}  // namespace

std::size_t early_users(std::size_t users, double share) {
  // 0.7 of 1430 users must be 1001, but the double 0.7 is less than 7/10.
  return std::min(users, static_cast<std::size_t>(static_cast<double>(users) * share + 1e-9));
}

PlayOutcome play_p2b(const World& world, const std::vector<P2bVariant>& variants, const PlaySettings& settings,
                     const std::atomic<bool>& interrupted, const std::function<void(std::size_t, std::size_t)>& done) {
  return P2bRepeat(world, variants, settings, interrupted, done).run();
}

}  // namespace sotto::apps::lab
