#!/bin/bash
# For the tools that measure, which source it: their arguments, a rate of `bench`, the median of rounds.

# take_arguments 'NAME NAME...' "$@": --NAME=VALUE sets the variable; anything else ends the tool with 2.
take_arguments() {
  local names=" $1 " argument name
  shift
  for argument in "$@"; do
    name=${argument%%=*}
    name=${name#--}
    if [[ $argument != --*=* || $names != *" $name "* ]]; then
      echo "$0: unknown argument '$argument'; see the first lines of this file" >&2
      exit 2
    fi
    declare -g "$name=${argument#*=}"
  done
}

# The images per second in the last line of what comes in.
rate() { tail -n 1 | grep -o '"images_per_s": *[0-9.e+-]*' | grep -o '[0-9.e+-]*$'; }

# The median of the arguments; of an even number the lower one.
median() { printf '%s\n' "$@" | sort -g | sed -n "$((($# + 1) / 2))p"; }
