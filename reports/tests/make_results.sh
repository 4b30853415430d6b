#!/usr/bin/env bash
# make_results.sh SOURCE BIN OUT: real results for a page: a core with a planted fault judged, a
# sweep over the project's own traffic, a plan. A fault, because a page without findings is easy.
set -uo pipefail
source=$1 bin=$2 out=$3
rm -rf -- "$out" && mkdir -p -- "$out" || exit 1
cd -- "$out" || exit 1
"$source/props/faults/build_fault" "$source/props/faults/core/i2_tenant_ignored.patch" faulty.so ||
  exit 1
"$bin/lockstep-verify" --impl ./faulty.so --seconds 6 --seed 1 --corpus "$source/corpus" \
  --out verify >/dev/null
(($? == 1)) || { echo "verify did not find the planted fault"; exit 1; }
"$bin/lockstep-replay" "$source/corpus/traces/lockstep_folders.jsonl.zst" --impl ./faulty.so \
  --sweep budget=256K,1M,4M,16M key-len=4,8,16 --jobs 1 --out replay >/dev/null || exit 1
"$bin/lockstep-plan" "$source/corpus/plan_example.json" --out plan >/dev/null
