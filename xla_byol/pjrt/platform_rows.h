// The rows of the table of platforms; see platform.h.

#ifndef XLA_BYOL_PJRT_PLATFORM_ROWS_H_
#define XLA_BYOL_PJRT_PLATFORM_ROWS_H_

#include "xla_byol/pjrt/platform.h"

namespace xla_byol::pjrt {

extern const PlatformInfo kCpuPlatform;
extern const PlatformInfo kTpuPlatform;
extern const PlatformInfo kGpuPlatform;

}  // namespace xla_byol::pjrt

#endif  // XLA_BYOL_PJRT_PLATFORM_ROWS_H_
