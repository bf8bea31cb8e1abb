#!/bin/sh
# A stand-in for your own program. It is asked in words ($1) and answers with one shell command on standard output.
# Replace it: name your program in `target` of evalratchet.toml, and delete this file.
case $1 in
  "List all files, with sizes and hidden ones") echo "ls -la" ;;
  "Count the lines of notes.txt") echo "wc -l notes.txt" ;;
  # Not what cases.json has, but it means the same: that is 0.9 instead of 1.
  "Show the last 20 lines of app.log") echo "tail -n20 app.log" ;;
  "Find lines with TODO below src, with line numbers") echo "grep -n -r TODO src" ;;
  *) echo "do not know: $1" >&2; exit 1 ;;
esac
