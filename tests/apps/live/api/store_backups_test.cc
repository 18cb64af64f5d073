// What a backup that cannot be made comes to.
#include "apps/live/serve/store_backups.h"

#include "sotto/protocol/error/errors.h"
#include "tests/apps/support.h"

namespace sotto::apps::live {
namespace {

TEST(StoreBackups, SayWhyOneIsNotMade) {
  const TestFolder folder;
  net::Io io;
  std::function<void()> copy;
  StoreBackups backups(io, folder.path() / "backups", [&](const fs::path&, const std::atomic<bool>&) { copy(); });
  const auto said = [&](std::function<void()> next) {
    copy = std::move(next);
    std::optional<std::optional<Problem>> told;
    backups.begin("monday", [&](const std::optional<Problem>& problem) { told = problem; });
    while (!told) io.run_for(std::chrono::milliseconds(1));
    return *told ? (*told)->name + ": " + (*told)->detail : "done";
  };
  EXPECT_EQ(said([] {}), "done");
  EXPECT_EQ(said([] { throw InputError("the store is damaged"); }), "backup-refused: the store is damaged");
  EXPECT_EQ(said([] { throw ResourceError("no room"); }), "backup-failed: no room");
  EXPECT_EQ(said([] { throw std::runtime_error("it broke"); }), "backup-failed: it broke");
  EXPECT_THAT(said([] { throw Interrupted(); }), StartsWith("ended: "));
}

}  // namespace
}  // namespace sotto::apps::live
