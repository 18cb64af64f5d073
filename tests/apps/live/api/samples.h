// Events and recipes of the tests of the interface.
#pragma once

#include "apps/live/api/event_text.h"
#include "apps/prepare/tables/recipe.h"
#include "tests/apps/live/samples.h"
#include "tests/apps/support.h"

namespace sotto::apps::live::api_test {

using namespace sotto::apps::prepare;

using testing::live_event;
using testing::live_settings;

inline std::string event_name(unsigned number) { return event_text(live_event(number)); }

// A recipe of an id, and of an age around 40.
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
