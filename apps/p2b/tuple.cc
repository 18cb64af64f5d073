#include "sotto/apps/p2b/tuple.h"

#include "sotto/core/error/errors.h"

namespace sotto::apps {

std::string tuple_choice_name(TupleChoice choice) { return choice == TupleChoice::uniform ? "uniform" : "published"; }

TupleChoice parse_tuple_choice(const std::string& text, const std::string& where) {
  if (text == "uniform") return TupleChoice::uniform;
  if (text == "published") return TupleChoice::published;
  throw InputError(where, "'" + text + "' is neither 'uniform' nor 'published'");
}

}  // namespace sotto::apps
