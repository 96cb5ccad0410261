"""Logs and manifest of a mixed fleet: arms of five models with six or seven joints and several trees, and humanoids with a moving base and
36 degrees of freedom. Rates, lengths and filters differ from log to log; `heft simulate` makes them.
"""
import concurrent.futures
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]
sys.path.append(str(HERE.parent / "moments"))  # last: it has a run.py of its own
import heft_bench  # noqa: E402
import robots  # noqa: E402

LIMBS = {"six": (6,), "seven": (7,), "two_limbs": (4, 3), "three_limbs": (3, 2, 1)}  # joints of the limbs on a fixed root
RATES, SECONDS, MOST_ROWS = (50, 100, 250, 400, 1000), (3, 6, 12, 24), 2500
# what a device conditions with: one of them per arm
OPTIONS = ("", "conditioning: {lowpass_hz: 12, torque_delay_s: 0.002}\n", "conditioning: {filter: savitzky_golay, dead_band: 0.02}\n")
MOVING_BASE = "robot: {floating_base: true}\nbase: {source: imu, frame: root}\n"


def write(call, folder, num_arms, num_humanoids, jobs):
    """Writes robots, logs and fleet.csv into a folder and returns the path of the latter; `call` runs heft with these words."""
    folder.mkdir(parents=True)
    models = [heft_bench.ROOT / "tools" / "demo" / "arm.urdf"]
    for seed, (name, limbs) in enumerate(LIMBS.items(), 1):
        models.append(folder / f"{name}.urdf")
        models[-1].write_text(robots.tree(name, limbs, seed))
    humanoid = folder / "humanoid.urdf"
    humanoid.write_text(robots.tree("humanoid", robots.HUMANOID_LIMBS, 1))
    moving_base = folder / "humanoid.yaml"
    moving_base.write_text(MOVING_BASE)
    for k, text in enumerate(OPTIONS):
        (folder / f"options_{k}.yaml").write_text(text + "columns: [viscous, coulomb: {tanh_width: 0.03}, offset]\n")

    def log(name, robot, seed, trajectory, rate, seconds, *words):
        seconds = min(seconds, MOST_ROWS / rate)
        call("simulate", "--robot", robot, "--seed", seed, "--trajectory-seed", trajectory, "--rate", rate, "--duration", seconds,
             "--held-out", max(2, seconds / 2), "--out", folder / name, *words)

    def arm(k):
        robot, config = models[k % len(models)], folder / f"options_{k % len(OPTIONS)}.yaml"
        for turn, name in enumerate("ab"):
            # neighbors differ in all of these, and so do the logs of one arm
            log(f"arm-{k:03}-{name}", robot, k + 1, 2 * k + turn + 1, RATES[(k + k // 5 + turn) % len(RATES)],
                SECONDS[(k // 5 + 2 * turn) % len(SECONDS)])
        return [f"arm-{k:03},{robot},arm-{k:03}-a/train.csv,{config},train", f"arm-{k:03},{robot},arm-{k:03}-b/train.csv,{config},train",
                f"arm-{k:03},{robot},arm-{k:03}-b/held_out.csv,{config},validate"]

    def with_base(k):
        log(f"humanoid-{k:02}", humanoid, k + 1, k + 1, RATES[k % 2], SECONDS[k % 2 + 1], "--config", moving_base, "--gait",
            "mounted")
        return [f"humanoid-{k:02},{humanoid},humanoid-{k:02}/{name}.csv,{moving_base},{role}"
                for name, role in (("train", "train"), ("held_out", "validate"))]

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        rows = sum([*pool.map(arm, range(num_arms)), *pool.map(with_base, range(num_humanoids))], [])
    manifest = folder / "fleet.csv"
    manifest.write_text("\n".join(["robot_id,robot,log,config,role", *rows]) + "\n")
    return manifest
