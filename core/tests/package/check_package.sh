#!/bin/sh
# Installs the library from a build folder, moves the tree, and builds the README's examples against
# it as an outsider would: with CMake and with pkg-config, in C++ and in C.
#
#   check_package.sh SOURCE_DIR BUILD_DIR WORK_DIR CXX CC CMAKE
set -eu
source_dir=$1 build_dir=$2 work=$3 cxx=$4 cc=$5 cmake=$6
expected='1050 1051 1052 1053 '

# snippet LANGUAGE: the first block of that language in the README.
snippet() {
  awk -v fence="\`\`\`$1" '$0 == "```" { inside = 0 } inside { print; found = 1 }
    $0 == fence && !found { inside = 1 }' "$source_dir/README.md"
}

# check NAME PROGRAM: what it prints must be what the README says.
check() {
  printed=$(LD_LIBRARY_PATH=$prefix/lib "$2"; echo .)
  [ "${printed%?}" = "$expected
" ] || { echo "$1 printed '${printed%?}' instead of '$expected'" >&2; exit 1; }
  echo "$1: ok"
}

# with_cmake NAME [ARGUMENTS]: builds the project in the folder of that name.
with_cmake() {
  name=$1
  shift
  "$cmake" -S "$name" -B "$name/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$cxx" \
    -DCMAKE_C_COMPILER="$cc" "$@" >"$name.log" 2>&1 &&
    "$cmake" --build "$name/build" >>"$name.log" 2>&1 || { cat "$name.log" >&2; exit 1; }
  check "$name" "$name/build/my_engine"
}

rm -rf "$work"
mkdir -p "$work"
cd "$work"
"$cmake" --install "$build_dir" --prefix "$work/first" >install.log
mkdir moved
mv first "moved/a prefix"
# pkg-config has no way to quote a blank for every shell, so its users go without.
ln -s "$work/moved/a prefix" "$work/tree"
prefix=$work/tree

mkdir cmake_cpp cmake_c cmake_c_without_abseil
snippet cpp >cmake_cpp/main.cc
snippet cmake >cmake_cpp/CMakeLists.txt
snippet c >main.c
for folder in cmake_c cmake_c_without_abseil; do
  cp main.c $folder/
  snippet cmake | sed 's/ CXX)/ C)/; s/main\.cc/main.c/; s/lockstep::core/lockstep::lockstep/' \
    >$folder/CMakeLists.txt
done
prefix="$work/moved/a prefix"
with_cmake cmake_cpp
with_cmake cmake_c
with_cmake cmake_c_without_abseil -DCMAKE_DISABLE_FIND_PACKAGE_absl=ON
prefix=$work/tree

export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
# Unquoted on purpose: these are words of a command line.
"$cxx" -std=c++20 -Wall -Wextra -Werror cmake_cpp/main.cc -o pkg_cpp \
  $(pkg-config --cflags --libs lockstep-core)
check pkg_cpp ./pkg_cpp
"$cc" -std=c99 -pedantic -Wall -Wextra -Werror main.c -o pkg_c $(pkg-config --cflags --libs lockstep)
check pkg_c ./pkg_c
# The header alone, in the other dialects that its users have.
echo '#include <lockstep/c_api.h>' >header.c
for dialect in c99 c11 c17 gnu99; do
  "$cc" -std=$dialect -pedantic -Wall -Wextra -Werror -fsyntax-only header.c \
    $(pkg-config --cflags lockstep)
done
for dialect in c++11 c++20; do
  "$cxx" -std=$dialect -pedantic -Wall -Wextra -Werror -fsyntax-only -x c++ header.c \
    $(pkg-config --cflags lockstep)
done
echo "header: ok"
