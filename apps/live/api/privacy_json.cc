// What all decisions so far tell about contexts, and what each role sees.

#include "apps/bandit/model/privacy.h"
#include "apps/kit/files/json.h"
#include "apps/kit/report/described.h"
#include "apps/live/api/answers.h"

namespace sotto::apps::live {
namespace {

using ViewJson = nlohmann::ordered_json;

struct LiveView {
  std::vector<const char*> sees;
  std::vector<const char*> never;
};

LiveView view_of(LiveRoleKind kind) {
  switch (kind) {
    case LiveRoleKind::actor:
      return {{"event ids, and when each was asked", "the arm of each event, but in mode apprentice",
               "in mode apprentice, of a window of events, how many agree with the model, with noise",
               "which events are learned together"},
              {"features, and whether a party had any", "rewards, and whether an event had one", "the model"}};
    case LiveRoleKind::party:
      return {{"its own features", "event ids, and pseudonyms where it is asked for features",
               "which arms an event must not get", "which events share a batch, and when it is learned"},
              {"features of other parties", "arms", "rewards", "the model: it has one share of it"}};
    case LiveRoleKind::rewarder:
      return {{"its own rewards", "event ids, also of events that are never rewarded", "which events share a batch"},
              {"features", "arms, unless the world tells it", "the model"}};
    case LiveRoleKind::helper:
      return {{"shapes of programs, and when they are run or skipped", "two of the three pieces of each mask and coin"},
              {"event ids", "features", "arms", "rewards", "the model", "any message of a decide"}};
    case LiveRoleKind::dealer:
      break;
  }
  return {{"shapes of programs, and when they are run or skipped"},
          {"event ids", "features", "arms", "rewards", "the model"}};
}

ViewJson agreed_json(const AgreedEvents& agreed) { return {{"events", agreed.events}, {"agreed", agreed.agreed}}; }

// The sums are the actor's, and nobody else's.
ViewJson agreement_json(const LiveStatus& status, const AgreementTerms& terms) {
  if (!keeps_order(status.kind)) return nullptr;
  const Agreement& agreement = status.agreement;
  ViewJson json;
  json["window"] = terms.window;
  json["epsilon"] = terms.epsilon;
  const std::string weak = weak_agreement_text(terms.epsilon);
  json["warning"] = weak.empty() ? ViewJson(nullptr) : ViewJson(weak);
  json["compared"] = agreement.events;
  json["shown"] = agreement.opened;
  json["epsilon_spent"] = agreement.spent;
  json["last"] = json["all"] = nullptr;
  if (status.kind != LiveRoleKind::actor || agreement.opened == 0) return json;
  json["last"] = agreed_json(agreement.last);
  json["all"] = agreed_json(agreement.all);
  return json;
}

}  // namespace

ViewJson privacy_json(const LiveStatus& status, const LiveCounters& counters, const DecisionTerms& terms) {
  ViewJson json;
  const auto& decisions = status.decisions_ever;
  json["decisions"] = decisions ? ViewJson(*decisions) : ViewJson(nullptr);
  json["repeated"] = status.kind == LiveRoleKind::actor ? ViewJson(counters.repeated) : ViewJson(nullptr);
  json["epsilon"] = terms.epsilon;
  json["eta_per_action"] = json_of(bandit::eta_per_action(terms.arms.size(), terms.epsilon));
  json["eta_composed"] = nullptr;
  // A decision that was rolled back showed its arm once more.
  if (decisions) {
    json["eta_composed"] =
        json_of(bandit::eta_composed(terms.arms.size(), terms.epsilon, *decisions + counters.repeated));
  }
  json["agreement"] = agreement_json(status, terms.agreement);
  json["randomness"] = json_of(terms.randomness);
  const LiveView view = view_of(status.kind);
  json["views"] = {{"sees", view.sees}, {"never", view.never}};
  return json;
}

}  // namespace sotto::apps::live
