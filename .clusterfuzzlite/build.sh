#!/bin/bash -eu
# Builds every fuzz target into $OUT as OSS-Fuzz and ClusterFuzzLite expect it: TARGET,
# TARGET_seed_corpus.zip, TARGET.dict where there is one, TARGET.options. Reads $SRC $OUT $WORK $CC
# $CXX $CFLAGS $CXXFLAGS $LIB_FUZZING_ENGINE (libFuzzer's, AFL++'s or another's) and $SANITIZER.
#
# Abseil's source is in $SRC/abseil-cpp: a Debian library links with libstdc++ only, and is not
# sanitized. Whatever else the targets need is linked in as an archive.

project=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
[[ -f $project/CMakeLists.txt ]] || project=$SRC/lockstep
jobs=$(nproc)

targets=$(sed -n 's/^lockstep_fuzz_target(\([a-z_]*\).*/\1/p' "$project/fuzz/CMakeLists.txt")
# No build type: one has flags of its own, which would stand after those that are given.
cmake -G Ninja -S "$project" -B "$WORK/lockstep" -DCMAKE_BUILD_TYPE=None \
  -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_C_FLAGS="$CFLAGS" \
  -DCMAKE_CXX_FLAGS="$CXXFLAGS" -DLOCKSTEP_ABSEIL_SOURCE="$SRC/abseil-cpp" \
  -DLOCKSTEP_FUZZING_ENGINE="$LIB_FUZZING_ENGINE"
# shellcheck disable=SC2086
cmake --build "$WORK/lockstep" -j "$jobs" --target $(printf 'fuzz_%s ' $targets)

for target in $targets; do
  cp "$WORK/lockstep/bin/fuzz_$target" "$OUT/$target"
  seeds=("$project/corpus/$target")
  if [[ -d $project/corpus/regressions/$target ]]; then
    seeds+=("$project/corpus/regressions/$target")
  fi
  rm -f "$OUT/${target}_seed_corpus.zip"
  zip -q -j -r "$OUT/${target}_seed_corpus.zip" "${seeds[@]}"
  dictionary=$target
  case $target in cache_exact | cache_sound | scopes) dictionary=codec ;; esac
  if [[ -f $project/fuzz/dictionaries/$dictionary.dict ]]; then
    cp "$project/fuzz/dictionaries/$dictionary.dict" "$OUT/$target.dict"
  fi
  {
    echo "[libfuzzer]"
    if [[ $dictionary == codec ]]; then echo "max_len = 160"; else echo "max_len = 4096"; fi
    echo "timeout = 10"
    echo "rss_limit_mb = 2048"
  } >"$OUT/$target.options"
done
