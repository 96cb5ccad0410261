#!/usr/bin/env python3
"""Real logs in the formats that the Python module unpacks: the same result as from CSV.

Usage: bench/bags/tables.py [--data DIR] [--json FILE]

DIR (default: $HEFT_DATA or ../shared/data) holds the sets of bench/real_logs. Exit codes: 0 all results are equal, 1 one differs, 77 nothing
to run on: no data, or the packages heft_robot, pyarrow, scipy and h5py are missing.
"""

import argparse
import gzip
import json
import os
import pathlib
import sys
import tempfile
import warnings

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
import heft_bench  # noqa: E402

SETS = [("franka_panda", "log_train"), ("kuka_kr300", "log_train_A"), ("staubli_tx40", "log_train")]


def parquet(path, columns):
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table(columns), path)


def feather(path, columns):
    import pyarrow
    import pyarrow.feather

    pyarrow.feather.write_feather(pyarrow.table(columns), path)


def npz(path, columns):
    import numpy as np

    with open(path, "wb") as file:
        np.savez_compressed(file, **columns)


def mat(path, columns):
    import scipy.io

    scipy.io.savemat(path, columns, do_compression=True, appendmat=False)


def netcdf(path, columns):
    import scipy.io

    with scipy.io.netcdf_file(path, "w") as file:
        file.createDimension("row", len(next(iter(columns.values()))))
        for name, values in columns.items():
            file.createVariable(name, "f8", ("row",))[:] = values


def hdf5_with_lzf(path, columns):
    import h5py

    with h5py.File(path, "w") as file:
        for name, values in columns.items():
            file.create_dataset(name, data=values, compression="lzf")


FORMATS = {"Parquet": parquet, "Feather": feather, "NPZ": npz, "MAT v5": mat, "netCDF": netcdf, "HDF5 with lzf": hdf5_with_lzf}


def answer(heft, folder, log, config):
    return heft.identify(folder / "robot.urdf", log, config=config).to_dict()["bodies"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", default=os.environ.get("HEFT_DATA", str(ROOT.parent / "shared" / "data")))
    parser.add_argument("--json")
    options = parser.parse_args()
    data = pathlib.Path(options.data)
    heft_bench.require(["heft_robot", "pyarrow", "scipy", "h5py"], [data], "pip install '.[logs]'")
    import heft_robot as heft

    warnings.simplefilter("ignore", heft.LogNote)
    report = heft_bench.Report(options.json)
    with tempfile.TemporaryDirectory(prefix="heft-tables-") as name:
        for number, (name_of_set, log) in enumerate(SETS):
            folder, config = data / name_of_set, HERE.parent / "real_logs" / f"{name_of_set}.yaml"
            csv = folder / f"{log}.csv"
            columns = heft.read_log(csv, config).read()
            wanted = json.dumps(answer(heft, folder, csv, config))
            for title, write in FORMATS.items():
                path = pathlib.Path(name) / f"log_{number}"
                write(str(path), columns)
                equal = json.dumps(answer(heft, folder, path, config)) == wanted
                report.add(f"{name_of_set} as {title}: result as of CSV", float(equal), "1 if equal", must=1)
            path = pathlib.Path(name) / "log.csv.gz"
            path.write_bytes(gzip.compress(csv.read_bytes(), 1))
            report.add(f"{name_of_set} as .csv.gz: result as of CSV", float(json.dumps(answer(heft, folder, path, config)) == wanted),
                       "1 if equal", must=1)
    return report.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
