// The readers of tables and environments, of inputs that do not end or are no text.
#include "tests/apps/kit/files/every_reader.h"
#include "apps/prepare/data/environment.h"
#include "apps/prepare/data/raw_data.h"
#include "apps/prepare/tables/text_table.h"

namespace sotto::apps::prepare {
namespace {

INSTANTIATE_TEST_SUITE_P(Prepare, EveryReader,
                         ::testing::Values(Reader{"text_table", [](const auto& path) { (void)TextTable::read(path); }},
                                           Reader{"environment",
                                                  [](const auto& path) { (void)Environment::read(path); }}),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(Idx, DevicesAndPipesWithoutEndAreRefused) {
  const TestFolder folder;
  EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_idx_images("/dev/zero"); }),
              StartsWith("/dev/zero: the file begins with 00000000"));
  // 2 labels are promised.
  const EndlessPipe pipe(folder, std::string("\0\0\x08\x01\0\0\0\2", 8));
  EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_idx_labels(pipe.path()); }),
              HasSubstr("it was added to"));
}

}  // namespace
}  // namespace sotto::apps::prepare
