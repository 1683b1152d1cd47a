#!/bin/sh
# test_run_faults at every moment, not only at every seventh.
set -u
PX_FAULTS=all exec "$PX_BUILD/test/test_run_faults"
