#!/bin/sh
# Every C file is laid out as .clang-format says.
# labels: source
exec "$PX_SOURCE/tools/format" --check
