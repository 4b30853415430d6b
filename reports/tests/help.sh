#!/usr/bin/env bash
# help.sh SOURCE BIN COMMAND...: --help of every command is one that a stranger can use: the question
# that it answers, how it is called, a default or a unit where one is due, examples whose flags there
# are, and exit codes. A word that no command knows is one line and exit code 2. Exit code: 0 when all
# of that holds, 1 otherwise.
set -uo pipefail
source=$1 bin=$2
shift 2
failed=0
wrong() { echo "$command: $*"; failed=1; }
for command in "$@"; do
  if [[ $command == test ]]; then program=("$source/lockstep" test); else program=("$bin/lockstep-$command"); fi
  [[ -x ${program[0]} ]] || { echo "$command: not built, not looked at"; continue; }
  help=$("${program[@]}" --help 2>&1) || wrong "--help does not exit with 0"
  [[ $(head -n 1 <<<"$help") == *'?'* ]] || wrong "the first line is no question"
  grep -q "^usage: ./lockstep $command" <<<"$help" || wrong "no usage"
  grep -q '^Examples:$' <<<"$help" || wrong "no examples"
  grep -q "^  ./lockstep $command" <<<"$help" || wrong "no example of its own"
  grep -q '^  0  ' <<<"$help" || wrong "no exit codes"
  grep -q '^  2  bad usage' <<<"$help" || wrong "no exit code for bad usage"
  awk 'length > 100 { exit 1 }' <<<"$help" || wrong "a line of more than 100 columns"
  grep -Eo -- '--[a-z-]+ (TEXT|UINT|INT|FLOAT)\b' <<<"$help" | grep -v -- '--fault\|--file' &&
    wrong "that is the type of a variable, not what is to be given"
  grep -nF "$source" <<<"$help" && wrong "a folder of this machine"
  options=$(sed -n '/^Options:$/,/^Examples:$/p' <<<"$help")
  while read -r flag; do
    grep -Eq -- "^ +(-[a-z], )?(--[a-z-]+, )?$flag( |\$)" <<<"$options" ||
      wrong "an example has $flag, which is no flag"
  done < <(grep "^  ./lockstep $command" <<<"$help" | grep -o -- ' --[a-z-]*' | tr -d ' ')
  message=$("${program[@]}" --no-such-flag 2>&1 >/dev/null)
  code=$?
  ((code == 2)) || wrong "--no-such-flag exits with $code"
  (($(wc -l <<<"$message") == 1)) || wrong "--no-such-flag says more than a line: $message"
done
exit $failed
