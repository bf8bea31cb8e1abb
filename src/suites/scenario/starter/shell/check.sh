#!/bin/sh
# What must hold after the edit. Before it, the second line does not.
[ "$(sh greet.sh Ada)" = "Hello, Ada" ] || exit 1
[ "$(sh greet.sh)" = "Hello, world" ] || exit 1
