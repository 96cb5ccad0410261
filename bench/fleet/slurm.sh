#!/bin/bash
# Runs packaging/slurm.sh on a Slurm of this machine alone: 40 robots as job arrays, one task killed midway; the digests must be
# those of one process.
#
#   bench/fleet/slurm.sh [HEFT] [ROBOTS] [TASKS]
#
# Needs Debian's slurmctld, slurmd, slurm-client and munge, and root; its daemons use a scratch folder and ports of their own.
# Exit codes: 0 equal digests, 1 not, 77 Slurm is not there.
set -euo pipefail
here=$(dirname "$(realpath "$0")") heft=$(realpath "${1:-build/heft}") robots=${2:-40} tasks=${3:-4}
for program in munged slurmctld slurmd sbatch; do
  command -v $program >/dev/null || { echo "skipped: $program is missing"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: slurmd needs root"; exit 77; }

scratch=$(mktemp -d /tmp/heft-slurm-XXXXXX) pids=()
finish() {
  scancel --user=root 2>/dev/null || true
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$scratch"
}
trap finish EXIT
mkdir "$scratch"/{bin,munge,state,spool,logs}
ln -s "$heft" "$scratch/bin/heft"
export PATH=$scratch/bin:$PATH SLURM_CONF=$scratch/slurm.conf

chown munge: "$scratch/munge" && chmod 711 "$scratch"
head -c 1024 /dev/urandom >"$scratch/munge/key"
chown munge: "$scratch/munge/key" && chmod 400 "$scratch/munge/key"
setpriv --reuid=munge --regid=munge --clear-groups munged --foreground --key-file="$scratch/munge/key" \
  --socket="$scratch/munge/socket" --pid-file="$scratch/munge/pid" --log-file="$scratch/munge/log" \
  --seed-file="$scratch/munge/seed" >/dev/null 2>&1 &
pids+=($!)
cat >"$scratch/slurm.conf" <<END
ClusterName=heft
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmUser=root
SlurmctldPort=16817
SlurmdPort=16818
AuthType=auth/munge
AuthInfo=socket=$scratch/munge/socket
CredType=cred/munge
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
SlurmctldLogFile=$scratch/slurmctld.log
SlurmdLogFile=$scratch/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=2000
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
slurmctld -D >/dev/null 2>&1 & pids+=($!)
slurmd -D >/dev/null 2>&1 & pids+=($!)
for _ in $(seq 60); do sinfo -h -o %t 2>/dev/null | grep -qE 'idle|mix' && break; sleep 1; done
sinfo

arm=$here/../../tools/demo/arm.urdf
{
  echo robot_id,robot,log,role
  for robot in $(seq "$robots"); do
    heft simulate --robot "$arm" --duration 8 --held-out 5 --rate 250 --seed "$robot" --trajectory-seed "$robot" \
      --out "$scratch/logs/$robot" >/dev/null
    echo "r$robot,$arm,$scratch/logs/$robot/train.csv,train"
    echo "r$robot,$arm,$scratch/logs/$robot/held_out.csv,validate"
  done
} >"$scratch/fleet.csv"
heft fleet run "$scratch/fleet.csv" --store "$scratch/alone" --no-pages --quiet >/dev/null

cd "$scratch"
submit() {  # `last`: the last of the arrays
  local jobs
  jobs=$("$here/../../packaging/slurm.sh" fleet.csv store "$tasks")
  echo "$jobs"
  last=$(sed -E 's/.*solve ([0-9]+).*/\1/' <<<"$jobs")
}
until_ended() { while squeue -h -j "$last" 2>/dev/null | grep -q .; do sleep 1; done; }
mkdir store
submit
# kill -9 of the first task that has a robot's leaf
for _ in $(seq 300); do
  [ -n "$(find store/leaves -name '*.heft' 2>/dev/null | head -1)" ] && break
  sleep 0.1
done
victim=$(pgrep -f "^heft fleet map $scratch/fleet.csv" | head -1) && kill -9 "$victim" || { echo "no process of stage map to kill"; exit 1; }
echo "killed process $victim of stage map"
until_ended
heft fleet status fleet.csv --store store | tail -3 || true
echo "again:"
submit
until_ended
heft fleet status fleet.csv --store store | tail -3
python3 - "$scratch" <<'END'
import json, sys
alone, arrays = ({robot["id"]: robot["digest"] for robot in json.load(open(f"{sys.argv[1]}/{store}/fleet.json"))["robots"]}
                 for store in ("alone", "store"))
equal = sum(alone[robot] == arrays.get(robot) for robot in alone)
print(f"equal digests: {equal} of {len(alone)}")
sys.exit(0 if equal == len(alone) and all(alone.values()) else 1)
END
