#!/bin/sh
# case.sh FOLDER CASE: what a case said when its file ran (cli_test.py --outcomes FOLDER). Exit code 0 if it passed, 77 if
# it was skipped, else 1.
outcome=$1/$2
if [ ! -f "$outcome" ]; then
  echo "$2 was not run"
  exit 1
fi
{
  read -r word
  cat
} <"$outcome"
case $word in
  passed) exit 0 ;;
  skipped) exit 77 ;;
  *) exit 1 ;;
esac
