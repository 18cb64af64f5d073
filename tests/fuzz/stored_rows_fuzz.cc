// The rows of a role's store as a whole, sealed with the right key, in any table, in any number: a role that can go on,
// or InputError.
//
// Input: for each row a byte (its table), two of its number, two of its length, and what is sealed.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "sotto/apps/bandit/state/store.h"
#include "sotto/apps/kit/store/database.h"
#include "sotto/core/error/errors.h"
#include "tests/fuzz/target.h"

namespace sotto::apps {
namespace {

constexpr std::array<const char*, 4> tables{"epochs", "checkpoints", "arms", "ending"};
constexpr std::size_t most_rows = 16;

StoreIdentity identity() {
  StoreIdentity identity;
  identity.role = "party 0";
  identity.session = "00112233445566778899aabbccddeeff";
  identity.parameters = "steps = 100\n";
  identity.steps = 100;
  identity.checkpoint_every = 10;
  identity.has_checkpoints = true;
  return identity;
}

SealingKey key() { return store_key(std::vector<std::byte>(32, std::byte{7}), identity()); }

// Made once; its rows are others for each input.
const std::filesystem::path& folder() {
  static const std::filesystem::path made = [] {
    std::filesystem::path path = fuzz::temporary_folder() / "store";
    RoleStore::create(path, identity(), key());
    return path;
  }();
  return made;
}

void put_rows(std::span<const std::byte> input) {
  fuzz::Numbers numbers(input);
  Database database(folder() / "store.db");
  database.execute("PRAGMA synchronous = OFF");
  Transaction transaction(database);
  for (const char* table : tables) {
    database.execute((std::string("DELETE FROM ") + table).c_str());
  }
  for (std::size_t row = 0; row < most_rows && !numbers.rest().empty(); ++row) {
    const std::string table = tables[numbers.byte() % tables.size()];
    const std::uint64_t number = numbers.byte() + 256 * numbers.byte();
    const std::size_t length = numbers.byte() + 256 * numbers.byte();
    const std::string place = table + " " + std::to_string(number) + " of party 0 in session " + identity().session;
    const std::vector<std::byte> sealed = key().seal(numbers.take(length), place);
    Statement(database, "INSERT OR REPLACE INTO " + table + " VALUES (?, ?)")
        .bind(static_cast<std::int64_t>(number))
        .bind(std::span<const std::byte>(sealed))
        .run();
  }
  transaction.commit();
}

void open_store() {
  RoleStore store(folder(), identity(), key());
  const ResumeState standing = store.standing();
  fuzz::require(standing.begun <= identity().steps, "no more steps began than the run has");
  for (const CheckpointName& checkpoint : standing.checkpoints) {
    fuzz::require(checkpoint.step <= identity().steps, "a checkpoint is of a step of the run");
  }
}

}  // namespace
}  // namespace sotto::apps

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sotto;
  apps::put_rows(fuzz::bytes(data, size));
  try {
    apps::open_store();
  } catch (const InputError& error) {
    fuzz::require(error.what()[0] != '\0', "an error says something");
  }
  return 0;
}
