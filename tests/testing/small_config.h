// The one config for tests that need some network and not a certain one.

#ifndef XLA_BYOL_TESTS_TESTING_SMALL_CONFIG_H_
#define XLA_BYOL_TESTS_TESTING_SMALL_CONFIG_H_

#include <string>
#include <utility>
#include <vector>

#include "xla_byol/settings/settings.h"

namespace xla_byol {

// A step that compiles in a second or two: four basic blocks of 4 to 32
// channels on 16x16 pixels, projections of 8 numbers, 8 images a batch. `set`
// ("field=value") changes or adds to it. Ends the test if that is refused.
inline Config SmallConfig(std::vector<std::string> set = {}, int devices = 1) {
  std::vector<std::string> assignments = {"data.image_size=16",
                                          "data.classes=10",
                                          "model.architecture=tiny",
                                          "model.stem=SMALL",
                                          "model.base_channels=4",
                                          "model.projector_hidden_size=16",
                                          "model.projector_output_size=8",
                                          "schedule.batch_size=8"};
  for (std::string& one : set) assignments.push_back(std::move(one));
  return LoadConfig("", "test", assignments, devices).value();
}

}  // namespace xla_byol

#endif  // XLA_BYOL_TESTS_TESTING_SMALL_CONFIG_H_
