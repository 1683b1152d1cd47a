#!/bin/sh
# Every C file is laid out as .clang-format says.
exec "$PX_SOURCE/tools/format" --check
