#include "sotto/apps/kit/report/described.h"

#include "sotto/apps/kit/report/run_header.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

enum class Fruit { apple, pear };
constexpr auto names_of(Fruit) { return std::array{std::pair{Fruit::apple, "apple"}, std::pair{Fruit::pear, "pear"}}; }

struct Seed {
  std::uint32_t weight = 0;
  friend bool operator==(const Seed&, const Seed&) = default;
  static void describe(auto& self, auto&& field) { field("weight", self.weight); }
};

struct Basket {
  Fruit fruit = Fruit::apple;
  std::optional<double> price{};
  std::optional<std::string> note{};
  std::vector<Seed> seeds{};
  std::vector<std::pair<std::string, std::string>> labels{};
  bool ripe = false;

  friend bool operator==(const Basket&, const Basket&) = default;
  static void describe(auto& self, auto&& field) {
    field("fruit", self.fruit);
    field("price", self.price);
    field.unless_empty("note", self.note);
    field("seeds", self.seeds);
    field.unless_empty("labels", self.labels);
    field("ripe", self.ripe);
    field.derived("count", self.seeds.size());
  }
};

Basket full_basket() { return {Fruit::pear, 0.1, "\xc3\xa9", {{1}, {4294967295}}, {{"a", "b"}}, true}; }

std::string basket_refusal(const std::string& text) {
  Basket basket;
  return error_of<NotAsDescribed>([&] { read_described(nlohmann::json::parse(text), basket); });
}

TEST(Described, HasWhatIsMissingAsNullOrNotAtAll) {
  EXPECT_EQ(json_of(Basket{}).dump(), R"({"fruit":"apple","price":null,"seeds":[],"ripe":false,"count":0})");
  EXPECT_EQ(json_of(full_basket()).dump(),
            "{\"fruit\":\"pear\",\"price\":0.1,\"note\":\"\xc3\xa9\",\"seeds\":[{\"weight\":1},{\"weight\":4294967295}]"
            ",\"labels\":[[\"a\",\"b\"]],\"ripe\":true,\"count\":2}");
}

TEST(Described, ComesBackFromAFile) {
  const TestFolder folder;
  for (const Basket& basket : {Basket{}, full_basket()}) {
    write_described(folder.path() / "b.json", basket);
    EXPECT_EQ(read_described_file<Basket>(folder.path() / "b.json", "a basket"), basket);
  }
}

TEST(Described, NamesTheFieldThatIsAnother) {
  EXPECT_EQ(basket_refusal("[]"), "it is no object");
  EXPECT_EQ(basket_refusal("{}"), "fruit is missing");
  EXPECT_EQ(basket_refusal(R"({"fruit":"plum"})"), "fruit is none of its names");
  EXPECT_EQ(basket_refusal(R"({"fruit":"pear","price":"1"})"), "price is no number");
  EXPECT_EQ(basket_refusal(R"({"fruit":"pear","price":1,"note":2})"), "note is no text");
  EXPECT_EQ(basket_refusal(R"({"fruit":"pear","price":1,"seeds":{}})"), "seeds is no list");
  EXPECT_EQ(basket_refusal(R"({"fruit":"pear","price":1,"seeds":[1]})"), "seeds is no object");
  EXPECT_EQ(basket_refusal(R"({"fruit":"pear","price":1,"seeds":[{}]})"), "seeds.weight is missing");
  for (const char* weight : {"-1", "1.5", "4294967296", "\"1\"", "null"}) {
    EXPECT_EQ(basket_refusal(fmt::format(R"({{"fruit":"pear","price":1,"seeds":[{{"weight":{}}}]}})", weight)),
              "seeds.weight is no whole number of its range");
  }
  EXPECT_EQ(basket_refusal(R"({"fruit":"pear","price":1,"seeds":[],"labels":[["a"]]})"), "labels is no pair");
  EXPECT_EQ(basket_refusal(R"({"fruit":"pear","price":1,"seeds":[],"ripe":1})"), "ripe is neither true nor false");
}

TEST(Described, ARefusalOfAFileIsOneLine) {
  const TestFolder folder;
  const auto path = folder.put("b.json", R"({"fruit":"pear"})");
  EXPECT_EQ(message_of<InputError>(folder, [&] { (void)read_described_file<Basket>(path, "a basket"); }),
            "b.json: is not a basket: price is missing");
}

TEST(RunHeader, IsInOneObjectWithTheResult) {
  RunHeader header;
  header.fail("lost");
  header.insecure = {"insecure-seed"};
  EXPECT_EQ(json_of(header).dump(), R"({"status":"failed","error":"lost","version":"","command":"","started":"",)"
                                    R"("insecure":["insecure-seed"]})");
}

}  // namespace
}  // namespace sotto::apps
