// A target either reads complete and consistent data or throws InputError.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/kit/files/best_bits.h"
#include "apps/kit/files/row_order.h"
#include "apps/kit/files/table.h"
#include "apps/o3m/environment.h"
#include "apps/o3m/files.h"
#include "apps/p2b/encoder.h"
#include "apps/p2b/tuple.h"
#include "apps/p2b/world.h"
#include "apps/prepare/data/environment.h"
#include "apps/prepare/data/raw_data.h"
#include "tests/fuzz/targets.h"

namespace sotto::fuzz {

using namespace sotto::apps::o3m;
using namespace sotto::apps::p2b;
using namespace sotto::apps::prepare;

using namespace apps;

namespace {
void check(const Table& table) {
  require(table.rows > 0 && !table.columns.empty(), "a table has rows and columns");
  require(table.values.size() == table.rows * table.columns.size(), "a table is whole");
  for (const double value : table.values) require(std::isfinite(value), "cells are finite");
}

void check_best_bits(const std::filesystem::path& path) {
  or_refused([&] {
    const BestBits bits = best_bits_in(path);
    require(is_order_digest(bits.id), "the bits have an id");
    for (const std::uint8_t share : bits.shares) require(share <= 1, "a share is a bit");
  });
}
}  // namespace

void csv(const std::filesystem::path& path) {
  check_best_bits(path);
  or_refused([&] { check(read_csv(path, Header::optional)); });
  or_refused([&] {
    const Table table = read_csv(path);
    check(table);
    const Environment environment = Environment::from_table(table);
    for (std::size_t row = 0; row < environment.rows(); ++row) {
      require(std::abs(environment.best_reward(row)) <= 1, "rewards are in [-1, 1]");
    }
  });
}

void idx(const std::filesystem::path& path) {
  or_refused([&] {
    const IdxImages images = read_idx_images(path);
    require(images.pixels.size() == images.count * images.height * images.width, "images are whole");
    require(images.pixels.size() + 16 == std::filesystem::file_size(path), "every byte is a pixel's");
  });
  or_refused(
      [&] { require(read_idx_labels(path).size() + 8 == std::filesystem::file_size(path), "every byte is a label"); });
}

namespace {
void check_contexts(const std::filesystem::path& path, std::optional<std::size_t> arms) {
  or_refused([&] {
    const ParticipantContexts contexts = read_contexts({.features = path, .arms = arms});
    require(contexts.steps > 0 && contexts.arms > 0 && contexts.columns > 0, "none is empty");
    require(contexts.values.size() == contexts.steps * contexts.arms * contexts.columns, "contexts are whole");
    require(!arms || contexts.arms == *arms, "arms are as many as asked for");
    for (const double value : contexts.values) {
      require(std::abs(value) <= contexts.bound * (1 + 1e-8), "the bound holds");
    }
  });
}
}  // namespace

void long_form(const std::filesystem::path& path) {
  check_contexts(path, std::nullopt);
  check_contexts(path, 2);
  or_refused([&] {
    const O3mEnvironment environment = O3mEnvironment::read(path);
    for (std::size_t t = 0; t < environment.steps(); ++t) {
      for (std::size_t arm = 0; arm < environment.arms(); ++arm) {
        require(std::abs(environment.reward(t, arm)) <= largest_o3m_reward, "rewards are in range");
        require(environment.regret(t, arm).value_or(0) >= 0, "no regret is negative");
      }
    }
  });
}

void users(const std::filesystem::path& path) {
  or_refused([&] {
    const UsersFile users = read_users(path, 1);
    const TableWorld& world = *users.world;
    require(world.users() == users.user_names.size(), "a name a user");
    require(world.recorded().steps() == users.rows, "a step a row");
    std::vector<double> contexts;
    for (std::size_t user = 0; user < world.users(); ++user) {
      const std::size_t steps = world.meet(user, contexts);
      require(steps > 0, "a user has a step");
      for (std::size_t step = 0; step < steps; ++step) {
        double sum = 0;
        for (std::size_t i = 0; i < world.dimension(); ++i) {
          const double feature = contexts[step * world.dimension() + i];
          require(feature >= 0, "features are not negative");
          sum += feature;
        }
        require(std::abs(sum - 1) < 1e-6, "contexts sum to 1");
        for (std::size_t arm = 0; arm < world.arms(); ++arm) {
          const double reward = world.reward(user, step, {}, arm);
          require(reward >= 0 && reward <= 1, "rewards in [0, 1]");
        }
      }
    }
  });
}

namespace {
bool same(const Tuple& a, const Tuple& b) { return a.code == b.code && a.arm == b.arm && a.reward == b.reward; }

void check_tuples(const std::filesystem::path& path, const TupleLimits& limits) {
  or_refused([&] {
    const TupleFile file = read_tuples(path, limits);
    for (const Tuple& tuple : file.tuples) {
      require(!limits.codes || tuple.code < *limits.codes, "a code is within its limit");
      require(!limits.arms || tuple.arm < *limits.arms, "an arm is within its limit");
      require(tuple.reward >= 0 && tuple.reward <= 1, "a reward is in [0, 1]");
    }
    const std::string text = tuples_csv(file.tuples);
    const MemoryFile written(text);
    const TupleFile again = read_tuples(written.path(), limits);
    require(std::equal(again.tuples.begin(), again.tuples.end(), file.tuples.begin(), file.tuples.end(), same),
            "tuples that are written read back");
  });
}
}  // namespace

void tuples(const std::filesystem::path& path) {
  check_tuples(path, {});
  check_tuples(path, {16, 3});
}

void encoder(const std::filesystem::path& path) {
  or_refused([&] {
    const Encoder encoder = read_encoder(path);
    require(encoder.centroids().size() == encoder.codes() * encoder.dimension(), "an encoder is whole");
    const std::vector<double> context(encoder.dimension(), 1);
    require(encoder.encode(context) < encoder.codes(), "a code is one of the encoder's");
    const std::string text = encoder_csv(encoder);
    const MemoryFile written(text);
    const Encoder again = read_encoder(written.path());
    require(std::equal(again.centroids().begin(), again.centroids().end(), encoder.centroids().begin(),
                       encoder.centroids().end()),
            "an encoder that is written reads back");
  });
}

}  // namespace sotto::fuzz
