#pragma once

#include <string>
#include <vector>

#include "tests/apps/live/service.h"

namespace sotto::apps::live::testing {

inline constexpr LiveTime day = 24 * 3600 * 1000;
inline const FeatureValues default_row{.5, .5};

inline FeatureValues own_row(unsigned number) { return {number / 1000., -(number / 1000.)}; }

class InLimitedService : public InService {
 protected:
  InLimitedService() {
    settings.batch_sizes = {1, 4, 16};
    guards[0].limits.per_day = 3;
    settings.reward_wait = 200 * day;
    settings.remember = 1000 * day;
  }
  void push_about(unsigned event, const std::string& subject, LiveTime now) {
    const std::vector<FeaturePush> calls{{live_event(event), own_row(event), subject}};
    EXPECT_EQ(party().push(calls, now), std::vector{PushStatus::stored});
  }
  std::vector<FeatureValues> decide(unsigned first, unsigned count, LiveTime now) {
    ask(first, count, now);
    EXPECT_TRUE(service->propose(now));
    std::vector<FeatureValues> rows = party().freeze(now);
    rows.resize(count);
    (void)service->finish(now);
    return rows;
  }
  // Decides an event about `subject`. Returns true if the party used the subject's own row, and false if the party used
  // the default row.
  bool is_own(unsigned event, const std::string& subject, LiveTime now) {
    push_about(event, subject, now);
    const std::vector<FeatureValues> rows = decide(event, 1, now);
    EXPECT_TRUE(rows[0] == own_row(event) || rows[0] == default_row);
    return rows[0] == own_row(event);
  }
  bool is_own_of_call(unsigned event, const std::string& pseudonym) {
    DecisionRequest request = live_request(event);
    request.subject = pseudonym;
    EXPECT_EQ(actor().ask(request, start).status, AskStatus::pending);
    EXPECT_TRUE(service->propose(start));
    const FeatureValues row = party().freeze(start).front();
    (void)service->finish(start);
    return row == own_row(event);
  }
};

}  // namespace sotto::apps::live::testing
