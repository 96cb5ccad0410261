"""Whether joint torques reveal that the body on the link changes: `heft payload --changes auto` on logs in which it stays, and on the same
logs with another body from some time on."""
import json

import numpy as np

import false_alarms


def found(weigh, log, folder):
    """Times [s] of the changes found in a log; `weigh(log, out, *words)` runs heft payload."""
    weigh(log, folder / "changes", "--changes", "auto")
    stretches = json.loads((folder / "changes" / "result.json").read_text()).get("stretches", [])
    return [stretch["from_s"] for stretch in stretches[1:]]


def report_on(logs, report, lines):
    """`logs`: (true times, found times) of each."""
    quiet = [of for true, of in logs if not true]
    changed = [(true[0], of) for true, of in logs if true]
    errors = np.array([abs(of[0] - true) for true, of in changed if len(of) == 1] or [np.nan])
    alarms, told = sum(bool(of) for of in quiet), sum(len(of) == 1 for _, of in changed)
    lines += ["", f"`--changes auto` finds a change in {alarms} of {len(quiet)} logs without one. In {len(changed)} logs whose body changes between 3 and "
              f"7 s, it finds one change in {told}, {np.median(errors):.2g} s from the true time "
              f"(median; at most {errors.max():.2g} s), none in {sum(not of for _, of in changed)} and several in "
              f"{sum(len(of) > 1 for _, of in changed)}."]
    report.add("by torques, logs without a change in which --changes auto finds one", 100 * alarms / len(quiet), "%", must=false_alarms.MOST,
               smaller_is_better=True)
    report.add("by torques, changes that --changes auto finds", 100 * told / len(changed), "%")
    report.add("by torques, time of a change, median error", np.median(errors), "s")
