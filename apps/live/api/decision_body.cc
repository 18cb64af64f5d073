#include "apps/live/api/decision_body.h"

#include <algorithm>

#include "apps/live/api/event_text.h"

namespace sotto::apps::live {
namespace {

std::uint16_t arm_of(const JsonFields& fields, const char* field, const std::string& name,
                     const std::vector<std::string>& arms) {
  const auto found = std::find(arms.begin(), arms.end(), name);
  if (found == arms.end()) fields.refuse(field, "it names no arm of the service");
  return static_cast<std::uint16_t>(found - arms.begin());
}

std::vector<std::uint16_t> read_barred(JsonFields& fields, const std::vector<std::string>& arms) {
  std::vector<std::uint16_t> barred;
  const auto names = fields.texts("not_arms", arms.size(), longest_arm_name);
  if (!names) return barred;
  barred.reserve(names->size());
  for (const std::string& name : *names) barred.push_back(arm_of(fields, "not_arms", name, arms));
  // The order of the names says nothing, so that it is no other body.
  std::sort(barred.begin(), barred.end());
  if (std::adjacent_find(barred.begin(), barred.end()) != barred.end()) {
    fields.refuse("not_arms", "an arm comes twice");
  }
  if (barred.size() == arms.size()) fields.refuse("not_arms", "no arm is left");
  return barred;
}

bool is_pseudonym(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace

DecisionCall read_decision(std::string_view text, const std::vector<std::string>& arms) {
  const nlohmann::json body = text.empty() ? nlohmann::json::object() : read_json_body(text);
  JsonFields fields(body);
  DecisionCall call;
  DecisionRequest& request = call.request;
  const std::optional<EventId> event = event_of(fields);
  request.subject = fields.text("subject", longest_subject).value_or("");
  if (!is_pseudonym(request.subject)) fields.refuse("subject", "expected printable ASCII without blanks");
  request.deadline = fields.whole("deadline_ms", 1, longest_deadline).value_or(0);
  if (const auto wait = fields.whole("wait_ms", 0, static_cast<std::uint64_t>(longest_wait.count()))) {
    call.wait = std::chrono::milliseconds(*wait);
  }
  request.activate = fields.flag("activate").value_or(true);
  request.barred = read_barred(fields, arms);
  if (const auto name = fields.text("own_arm", longest_arm_name)) {
    request.own_arm = arm_of(fields, "own_arm", *name, arms);
    if (std::binary_search(request.barred.begin(), request.barred.end(), *request.own_arm)) {
      fields.refuse("own_arm", "it is one of not_arms");
    }
  }
  fields.finish();
  request.event = event ? *event : fresh_event();
  return call;
}

}  // namespace sotto::apps::live
