// The model of a run in this process in the folders that the roles of `sotto bandit` keep (role_state.h): one folder
// per party, sealed with the key in it. A run with --from reads these folders, and this process reads those of such a
// run.
//
//     FOLDER/state/party_0    config.toml, key.pem, store.db, begun as those of `sotto bandit --out FOLDER`
//                             columns.csv: the names of the party's columns, in place of its data, which is not kept
//
// The paths in config.toml are relative, so a party's folder can be moved. The configs name certificates of a dealer
// and an actor whose keys are not kept, so no role can join a saved run.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/bandit/run/role/earlier_model.h"
#include "apps/bandit/run/settings/settings.h"

namespace sotto::apps::bandit::run {

// The run of `model_settings` is that of SharedModel. `columns` has the names of each party's columns. Throws
// InputError if FOLDER/state exists, and ResourceError if it cannot be written. In both cases nothing is left there.
void keep_model(const std::filesystem::path& folder, const BanditSettings& model_settings,
                const std::vector<EarlierModel>& models, const std::vector<std::vector<std::string>>& columns);

struct FoundModel {
  BanditSettings settings;  // of the run that the model is of
  std::vector<EarlierModel> models;
  std::vector<std::vector<std::string>> columns;  // names, by party
};

// Reads the models of all parties, by their configs or folders in their order. Changes nothing. Throws as
// read_earlier_model() and require_one_model() do, and InputError if not all parties are there or some bring no
// features.
[[nodiscard]] FoundModel find_model(const std::vector<std::filesystem::path>& configs);

}  // namespace sotto::apps::bandit::run
