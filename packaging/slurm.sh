#!/bin/bash
# A fleet as four Slurm arrays on a file system that all nodes share. bench/fleet/slurm.sh runs it on a Slurm of one machine; it was
# not run on several nodes.
#
#   packaging/slurm.sh fleet.csv store [TASKS]
#
# A task that is preempted, or whose node fails, is queued again and goes on from the store. After a task whose process was killed, run
# the same command again. Failed logs do not stop later stages.
set -euo pipefail
if [ $# -lt 2 ]; then
  sed -nE '2,/^[^#]/s/^# ?//p' "$0" >&2
  exit 100
fi
manifest=$(realpath "$1") store=$(realpath -m "$2") tasks=${3:-20}

stage() {  # NAME AFTER: the job that runs this stage once job AFTER has ended
  sbatch --parsable --job-name="heft-$1" --array="0-$((tasks - 1))" --cpus-per-task=2 --mem=1G --requeue \
    ${2:+--dependency=afterany:$2} \
    --wrap="heft fleet $1 '$manifest' --store '$store' --jobs 2 --shard \$SLURM_ARRAY_TASK_ID/$tasks"
}

map=$(stage map '')
reduce=$(stage reduce "$map")
population=$(stage population "$reduce")  # ends at once where no robot asks for them
solve=$(stage solve "$population")
echo "map $map, reduce $reduce, population $population, solve $solve; then: heft fleet status $manifest --store $store"
