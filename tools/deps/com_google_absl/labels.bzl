"""Abseil's labels over Debian's libabsl-dev."""

# All of the shared libraries that our code touches: the linker keeps only those a binary needs, so every label can
# stand for the same list, and the order does not matter.
_LIBRARIES = [
    "base",
    "cord",
    "failure_signal_handler",
    "flags_commandlineflag",
    "flags_internal",
    "flags_marshalling",
    "flags_parse",
    "flags_reflection",
    "flags_usage",
    "hash",
    "int128",
    "raw_hash_set",
    "raw_logging_internal",
    "status",
    "statusor",
    "str_format_internal",
    "strings",
    "strings_internal",
    "symbolize",
    "synchronization",
    "throw_delegate",
    "time",
    "time_zone",
]

def absl_labels(names):
    for name in names:
        native.cc_library(
            name = name,
            linkopts = ["-Wl,--push-state,--as-needed"] +
                       ["-labsl_" + library for library in _LIBRARIES] +
                       ["-Wl,--pop-state", "-lpthread"],
            visibility = ["//visibility:public"],
        )
