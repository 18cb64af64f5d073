// Which of its targets a measurement met.
#pragma once

#include <string>

#include "sotto/apps/kit/report/table.h"

namespace sotto::apps {

class Targets {
 public:
  void add(const std::string& configuration, const char* what, double measured, double at_most) {
    table_.add({configuration, what, measured, at_most, measured <= at_most});
  }
  [[nodiscard]] FigureTable take() { return std::move(table_); }

 private:
  FigureTable table_{"targets",
                     "Targets",
                     {{"configuration", "configuration"},
                      {"what", "what"},
                      {"measured", "measured"},
                      {"at_most", "at most"},
                      {"met", "met"}}};
};

}  // namespace sotto::apps
