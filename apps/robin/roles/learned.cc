#include "sotto/apps/robin/roles/learned.h"

namespace sotto::apps {

std::vector<std::pair<std::string, std::string>> robin_learned(bool local) {
  if (local) {
    return {{"aggregator", "Which clients take part, and when. No estimate: each client plays by itself."},
            {"client", "The settings of the run. Nothing of any other client."}};
  }
  return {
      {"aggregator",
       "The local estimate of every client in every release, exactly: it is trusted with them. No features, no arms, "
       "no rewards, no regret."},
      {"client",
       "The settings of the run and the broadcast estimates, which are differentially private for all that any one "
       "other client does in the run. Its own data, as before."},
      {"whoever reads the broadcasts",
       "As a client: the promise of epsilon and delta holds for whoever sees all of them, whatever else they know."},
      {"network", "Who speaks with whom, when, and how much. Links are TLS 1.3."}};
}

std::string robin_headline(bool local) {
  return local ? "No release was made and no privacy spent: every client played by itself."
               : "The aggregator is trusted: it sees the estimate of every client. Privacy is what it releases.";
}

}  // namespace sotto::apps
