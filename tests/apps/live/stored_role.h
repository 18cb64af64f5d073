#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/live/rows/live_store.h"
#include "tests/apps/live/service.h"

namespace sotto::apps::live::testing {

inline std::vector<std::byte> secret_of(unsigned char fill) { return std::vector<std::byte>(32, std::byte{fill}); }

inline LiveIdentity live_identity(const std::string& role) {
  return {role, "00112233445566778899aabbccddeeff", "arms = 3\n"};
}

inline LiveRow row_of(unsigned fill) { return LiveRow(3, static_cast<std::byte>(fill)); }

inline std::vector<std::pair<RowKey, LiveRow>> rows_of(const LiveRows& rows) {
  std::vector<std::pair<RowKey, LiveRow>> all;
  for (auto table = LiveTable::epoch; table <= LiveTable::asked;
       table = static_cast<LiveTable>(static_cast<int>(table) + 1)) {
    rows.each(table, [&](const RowKey& key, const LiveRow& row) {
      all.emplace_back(key, row);
      return true;
    });
  }
  return all;
}

class LiveStoreTest : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path of(const std::string& role) const { return folder.path() / role; }
  void create(const std::string& role) const {
    LiveFile::create(of(role), live_identity(role), live_store_key(secret_of(7), live_identity(role)));
  }
  [[nodiscard]] std::unique_ptr<LiveStore> open(const std::string& role) const {
    return std::make_unique<LiveStore>(of(role), live_identity(role),
                                       live_store_key(secret_of(7), live_identity(role)));
  }
  // Moves all rows into the tables of the store. Before this call, small changes are only in the log.
  static void put_into_tables(LiveStore& store, const std::string& role) {
    store.change_key(live_store_key(secret_of(7), live_identity(role)));
  }
  template <class E = InputError>
  void expect_refused(const std::string& says, const std::function<void()>& action) const {
    EXPECT_THAT(message_of<E>(folder, action), HasSubstr(says));
  }
  TestFolder folder;
};

}  // namespace sotto::apps::live::testing
