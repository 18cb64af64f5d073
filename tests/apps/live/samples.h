#pragma once

#include "apps/live/api/event_text.h"
#include "apps/live/order/entry.h"
#include "apps/live/settings/live_settings.h"
#include "apps/prepare/tables/recipe.h"
#include "tests/apps/support.h"

namespace sotto::apps::live::testing {

inline EventId live_event(unsigned number) {
  return EventId{static_cast<std::byte>(number), static_cast<std::byte>(number >> 8), std::byte{1}};
}

inline LiveSettings live_settings() {
  LiveSettings settings;
  settings.arms = {"a", "b", "c"};
  settings.batch_sizes = {1, 4};
  settings.baseline_arm = 0;
  settings.reward_wait = 10'000;
  settings.remember = 100'000;
  settings.feature_wait = 20'000;
  return settings;
}

}  // namespace sotto::apps::live::testing

namespace sotto::apps::live::api_test {

using namespace sotto::apps::prepare;

using testing::live_event;
using testing::live_settings;

inline std::string event_name(unsigned number) { return event_text(live_event(number)); }

// A recipe with an id column, and a column of ages around 40.
inline Recipe recipe_of_ages() {
  Recipe recipe;
  recipe.columns.resize(2);
  recipe.columns[0].name = "subject";
  recipe.columns[0].use = ColumnUse::id;
  recipe.columns[1].name = "age";
  recipe.columns[1].use = ColumnUse::number;
  recipe.columns[1].centre = recipe.columns[1].fill = 40;
  recipe.columns[1].spread = 20;
  recipe.norm = 1;
  return recipe;
}

}  // namespace sotto::apps::live::api_test
