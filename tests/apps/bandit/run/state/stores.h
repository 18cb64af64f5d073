#pragma once

#include "apps/bandit/model/sites.h"
#include "apps/bandit/run/state/store.h"
#include "tests/apps/support.h"

namespace sotto::apps::bandit::run::testing {

inline std::vector<std::byte> private_key(unsigned char fill) { return std::vector<std::byte>(32, std::byte{fill}); }

inline StoreIdentity identity_of(const std::string& role = "party 0") {
  return StoreIdentity{.role = role,
                       .session = "00112233445566778899aabbccddeeff",
                       .parameters = "parties = 2\nsteps = 100\n",
                       .inputs = "sha256:0123",
                       .steps = 100,
                       .most_begun = 10,
                       .has_checkpoints = role != "dealer"};
}

class Store : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path folder() const { return folder_.path() / "party_0"; }
  void create(const StoreIdentity& identity = identity_of(), unsigned char key = 7) const {
    RoleStore::create(folder(), identity, store_key(private_key(key), identity));
  }
  [[nodiscard]] std::unique_ptr<RoleStore> open(const StoreIdentity& identity = identity_of(),
                                                unsigned char key = 7) const {
    return std::make_unique<RoleStore>(folder(), identity, store_key(private_key(key), identity));
  }
  std::unique_ptr<RoleStore> played_to(std::uint64_t steps, std::uint64_t word = 1) const;
  template <class E>
  void expect_refusal(const std::string& says, const std::function<void()>& action) const {
    EXPECT_THAT(message_of<E>(folder_, action), ::testing::HasSubstr(says));
  }
  void expect_not_opened(const std::string& says) const {
    expect_refusal<InputError>(says, [&] { (void)open(); });
  }

  TestFolder folder_;
};

// The id of the checkpoint after this many steps. Different values of `word` give different ids.
inline CheckpointId id_at(std::uint64_t steps, std::uint64_t word = 1) {
  const std::uint64_t words[] = {steps, word};
  return digest_of(words);
}

inline CheckpointName name_at(std::uint64_t steps, std::uint64_t word = 1) { return {steps, id_at(steps, word)}; }

inline ResumePoint opening_of(std::uint32_t epoch, std::uint64_t from, std::uint64_t word = 1,
                              std::uint64_t repeated = 0, std::uint64_t taken = 0) {
  ResumePoint opening{epoch, from, repeated, taken, {}};
  if (from > 0) opening.from_id = id_at(from, word);
  return opening;
}

inline Checkpoint checkpoint_at(std::uint64_t steps, std::uint64_t word = 1) {
  return Checkpoint{.steps = steps,
                    .progress = {},
                    .id = id_at(steps, word),
                    .inverses = {word, ~word, 3},
                    .targets = {word + 1},
                    .curve = {}};
}

inline void play(RoleStore& store, std::uint64_t from, std::uint64_t to, std::uint64_t word = 1) {
  for (std::uint64_t step = from; step < to; ++step) {
    store.step_begins(step);
    if ((step + 1) % 10 == 0) store.save(checkpoint_at(step + 1, word), {});
  }
}

inline std::unique_ptr<RoleStore> Store::played_to(std::uint64_t steps, std::uint64_t word) const {
  create();
  auto store = open();
  store->open_epoch(opening_of(1, 0));
  play(*store, 0, steps, word);
  return store;
}

}  // namespace sotto::apps::bandit::run::testing
