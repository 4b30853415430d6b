#!/usr/bin/env bash
# worked_example.sh SOURCE: runs the worked example of CONTRIBUTING.md, line by line, in a clone of
# its own; each line must exit as the comment behind it says (0 where it says nothing). Exit code: 0
# when all did and the page answered No and then Yes, 1 otherwise.
set -uo pipefail
source=$1
git -C "$source" rev-parse --verify -q HEAD >/dev/null || { echo "SKIPPED: no git history"; exit 0; }
work=$(mktemp -d) || exit 1
trap 'rm -rf -- "$work"' EXIT
git clone -q -- "$source" "$work/lockstep" && cd -- "$work/lockstep" || exit 1

mapfile -t lines < <(sed -n '/<!-- worked example -->/,/^```$/p' CONTRIBUTING.md | sed '1,2d;$d')
((${#lines[@]} >= 5)) || { echo "CONTRIBUTING.md has no worked example"; exit 1; }
answers=()
for line in "${lines[@]}"; do
  wanted=0
  [[ $line =~ '# exit '([0-9]) ]] && wanted=${BASH_REMATCH[1]}
  echo "\$ $line"
  output=$(bash -c "$line" 2>&1)
  code=$?
  printf '%s\n' "$output" | tail -n 15
  ((code == wanted)) || { echo "exit $code, and $wanted was promised"; exit 1; }
  [[ $output =~ 'upstream? '(Yes|No), ]] && answers+=("${BASH_REMATCH[1]}")
done
[[ ${answers[*]} == 'No Yes' ]] || { echo "the page answered '${answers[*]}'"; exit 1; }
