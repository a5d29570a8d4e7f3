// A config in the oracle's words (tests/oracle/config.py).

#ifndef XLA_BYOL_TESTS_STEP_ORACLE_JSON_H_
#define XLA_BYOL_TESTS_STEP_ORACLE_JSON_H_

#include <string>

#include "xla_byol/config/config.pb.h"

namespace xla_byol {

// For so many steps; the config must be resolved.
std::string OracleJson(const Config& config, int steps);

}  // namespace xla_byol

#endif  // XLA_BYOL_TESTS_STEP_ORACLE_JSON_H_
