#include "tests/apps/live/api/openapi.h"

#include "tests/apps/live/api/fakes.h"
#include "tests/apps/live/api/rig.h"

namespace sotto::apps::live {
namespace {

using namespace api_test;
using nlohmann::json;

TEST(SchemaCheck, FindsWhatIsNotAsTheSchemaSays) {
  const json document =
      json::parse(R"({"a":{"type":"object","required":["n"],"properties":{"n":{"type":"integer","minimum":0},
      "t":{"type":["string","null"],"maxLength":3,"pattern":"^[a-z]*$"},"l":{"type":"array","items":{"enum":[1,"x"]}}},
      "additionalProperties":false}})");
  const SchemaCheck check(document);
  const json schema = json::parse(R"({"$ref":"#/a"})");
  for (const std::string good : {R"({"n":0})", R"({"n":2.0,"t":null,"l":[1,"x"]})", R"({"n":1,"t":"abc","l":[]})"}) {
    EXPECT_EQ(check.fault(schema, json::parse(good)), "") << good;
  }
  for (const std::string bad : {"1", "{}", R"({"n":-1})", R"({"n":0.5})", R"({"n":true})", R"({"n":1,"t":"abcd"})",
                                R"({"n":1,"t":"A"})", R"({"n":1,"t":1})", R"({"n":1,"l":[2]})", R"({"n":1,"m":1})"}) {
    EXPECT_NE(check.fault(schema, json::parse(bad)), "") << bad;
  }
  EXPECT_THROW(static_cast<void>(check.fault(json::parse(R"({"unknown":1})"), 1)), std::runtime_error);
  const json either = json::parse(R"({"oneOf":[{"type":"number"},{"type":"integer"}]})");
  EXPECT_EQ(check.fault(either, 0.5), "");
  EXPECT_NE(check.fault(either, 1), "");
  EXPECT_NE(check.fault(either, "1"), "");
}

void look(const json& document, const json& value) {
  if (value.is_object() && value.contains("$ref")) {
    EXPECT_NO_THROW(static_cast<void>(document.at(json::json_pointer(value["$ref"].get<std::string>().substr(1)))));
  }
  if (value.is_structured()) {
    for (const json& each : value) look(document, each);
  }
}

TEST(OpenApi, IsWhole) {
  const json& document = OpenApi::instance().document();
  look(document, document);
  for (const auto& [name, schema] : document["components"]["schemas"].items()) {
    for (const json& value : {json(), json(1), json("x"), json::array({1}), json::object({{"x", 1}})}) {
      EXPECT_NO_THROW(static_cast<void>(SchemaCheck(document).fault(schema, value))) << name;
    }
  }
  for (const auto& [path, operations] : document["paths"].items()) {
    for (const auto& [method, operation] : operations.items()) {
      EXPECT_FALSE(operation["x-roles"].empty()) << path;
      EXPECT_TRUE(operation["responses"].contains("default")) << path;
    }
  }
}

template <class Service>
void compare_paths(const std::string& role) {
  ApiRig rig;
  Service service(rig.io);
  rig.serve(service, role);
  for (const auto& [pattern, operations] : OpenApi::instance().document()["paths"].items()) {
    std::string path = pattern;
    if (const std::size_t at = path.find("{event}"); at != std::string::npos) path.replace(at, 7, event_name(1));
    for (const std::string method : {"GET", "PUT", "POST", "DELETE"}) {
      std::string lower = method;
      std::transform(lower.begin(), lower.end(), lower.begin(),
                     [](char c) { return static_cast<char>(std::tolower(c)); });
      const json operation = operations.value(lower, json());
      const json roles = operation.is_null() ? json::array() : operation["x-roles"];
      const bool is_its = std::find(roles.begin(), roles.end(), json(role)) != roles.end();
      const bool has_body = is_its && operation.contains("requestBody");
      const ApiReply reply = rig.call(method, path, has_body ? "-" : "");
      const bool is_there = reply.status != 405 && reply.problem() != "not-found";
      EXPECT_EQ(is_there, is_its) << role << " " << method << " " << path << " answers " << reply.status;
    }
  }
}

TEST(OpenApi, HasThePathsOfEachRole) {
  compare_paths<FakeActor>("actor");
  compare_paths<FakeParty>("party");
  compare_paths<FakeRewarder>("rewarder");
  compare_paths<FakeDealer>("dealer");
  compare_paths<FakeHelper>("helper");
}

}  // namespace
}  // namespace sotto::apps::live
