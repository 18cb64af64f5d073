#include "sotto/apps/kit/data/idx.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

std::string words(std::initializer_list<std::uint32_t> list) {
  std::string bytes;
  for (const std::uint32_t word : list) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(word >> shift);
  }
  return bytes;
}

TEST(Idx, ReadsImagesAndLabels) {
  const TestFolder folder;
  const IdxImages images = read_idx_images(folder.put("i", words({0x803, 2, 1, 3}) + std::string("\0\1\2\3\4\xff", 6)));
  EXPECT_EQ(images.count, 2U);
  EXPECT_EQ(images.height, 1U);
  EXPECT_EQ(images.width, 3U);
  EXPECT_THAT(images.pixels, ElementsAre(0, 1, 2, 3, 4, 255));
  EXPECT_THAT(read_idx_labels(folder.put("l", words({0x801, 3}) + "\7\1\2")), ElementsAre(7, 1, 2));
}

TEST(Idx, RefusesBadImages) {
  const std::pair<std::string, const char*> cases[] = {

      {"", "0 bytes in all, too short"},
      {words({0x803, 1, 1}) + "123", "15 bytes in all, too short"},
      {words({0x801, 1, 1, 1}) + "1", "the file begins with 00000801, but IDX images begin with 00000803"},
      {words({0x03080000, 1, 1, 1}) + "1", "the file begins with 03080000"},
      {words({0x803, 0, 1, 1}), "the file holds nothing"},
      {words({0x803, 1, 0, 1}), "images of 0 x 1 pixels"},
      {words({0x803, 1, 1, 0}), "images of 1 x 0 pixels"},
      {words({0x803, 1, 4097, 1}), "images of 4097 x 1 pixels"},
      // 2^32 - 1 images of the largest size, and lengths that would wrap round in 32 or 64 bits
      {words({0x803, 0xffffffff, 4096, 4096}), "the file has 16 bytes, but its header says 72057594021150736"},
      {words({0x803, 0xffffffff, 0xffffffff, 0xffffffff}), "images of 4294967295 x 4294967295"},
      {words({0x803, 0x10000, 256, 256}), "the file has 16 bytes, but its header says 4294967312; it was cut"},
      {words({0x803, 2, 1, 1}) + "1", "the file has 17 bytes, but its header says 18; it was cut short"},
      {words({0x803, 1, 1, 1}) + "12", "the file has more bytes than the 17 that its header says; it was added to"},
      {"\x1f\x8b\x08 and more than a header's bytes", "the file is compressed"},
  };
  const TestFolder folder;
  for (const auto& [bytes, says] : cases) {
    const auto path = folder.put("i", bytes);
    EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_idx_images(path); }),
                StartsWith(std::string("i: ") + says));
  }
}

TEST(Idx, RefusesBadLabels) {
  const TestFolder folder;
  const auto refusal = [&](const std::string& bytes) {
    const auto path = folder.put("l", bytes);
    return message_of<InputError>(folder, [&] { (void)read_idx_labels(path); });
  };
  EXPECT_THAT(refusal(words({0x801})), StartsWith("l: 4 bytes in all, too short"));
  EXPECT_THAT(refusal(words({0x803, 1}) + "1"), HasSubstr("IDX labels begin with 00000801"));
  EXPECT_THAT(refusal(words({0x801, 0})), HasSubstr("its count is 0"));
  EXPECT_THAT(refusal(words({0x801, 2}) + "1"), HasSubstr("cut short"));
  EXPECT_THAT(refusal(words({0x801, 2}) + "123"), HasSubstr("added to"));
  EXPECT_THAT(refusal(words({0x801, 0xffffffff}) + "1"), HasSubstr("its header says 4294967303"));
}

TEST(MnistFolder, FindsBothWaysOfNaming) {
  const std::string images = words({0x803, 1, 1, 2}) + "ab";
  const std::string labels = words({0x801, 1}) + "\5";
  for (const std::string dash : {"-", "."}) {
    const TestFolder folder;
    (void)folder.put("train-images" + dash + "idx3-ubyte", images);
    (void)folder.put("train-labels" + dash + "idx1-ubyte", labels);
    const IdxSet set = read_mnist_folder(folder.path());
    EXPECT_EQ(set.images.count, 1U);
    EXPECT_THAT(set.labels, ElementsAre(5));
  }
}

TEST(MnistFolder, RefusesWhatIsNotThere) {
  const TestFolder folder;
  const auto refusal = [&](const fs::path& path) {
    return message_of<InputError>(folder, [&] { (void)read_mnist_folder(path); });
  };
  EXPECT_THAT(refusal(folder.path() / "none"), StartsWith("none: not a folder"));
  EXPECT_THAT(refusal(folder.path()), HasSubstr("no file train-labels-idx1-ubyte here"));
  (void)folder.put("train-labels-idx1-ubyte", words({0x801, 1}) + "\5");
  (void)folder.put("train-images-idx3-ubyte.gz", "x");
  EXPECT_THAT(refusal(folder.path()), StartsWith("train-images-idx3-ubyte.gz: the file is compressed"));
  (void)folder.put("train-images-idx3-ubyte", words({0x803, 2, 1, 1}) + "ab");
  EXPECT_EQ(refusal(folder.path()), "train-labels-idx1-ubyte: 1 label for 2 images");
}

}  // namespace
}  // namespace sotto::apps
