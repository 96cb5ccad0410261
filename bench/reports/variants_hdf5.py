"""Variants about HDF5 of other writers: user blocks, transposed tables, wide data sets, array members, filters."""

import re

import numpy

from judge import BASE, first_line, need, need_clean, need_refused, remedies_in
from kinds import variant, variants
from log_files import MATRICES, h5, need_read, need_read_or_told, rig_of

# ---- HDF5: signatures that are not at byte 0, tables on their side -------------------------------------------------

SIGNATURE = "HDF5 behind a user block, tables on their side"
SIDE = r"on (its|their) side|transpos|rows? (for|instead of) columns|columns? (for|instead of) rows|one row|1 ?x ?N|rows are"


def by_matrix(log):
    return {"t": log.t, "q": log.q, "tau": log.tau}


def by_name(log):
    return log.columns()


@variants(
    SIGNATURE,
    user_block_of_1024=(by_name, 1024),
    user_block_of_4096=(by_matrix, 4096),
    user_block_of_512_by_name=(by_name, 512),
)
def user_blocks(bench, how):
    content, size = how

    def write(path, log):
        h5(content, userblock_size=size)(path, log)
        with open(path, "r+b") as file:
            file.write(b"Instrument dump, version 2\r\nrig A, run 7, t, q, tau\r\n".ljust(size, b" ") if size == 4096 else b"")

    need_read(rig_of(bench, write))


@variant(SIGNATURE, "MATLAB 7.3, a variable a column")
def matlab(bench):
    import hdf5storage

    def write(path, log):
        hdf5storage.savemat(
            str(path),
            {name: x.reshape(-1, 1) for name, x in log.columns().items()},
            format="7.3",
            oned_as="column",
            store_python_metadata=False,
        )

    need_read(rig_of(bench, write, "mat"))


@variants(
    SIGNATURE,
    all_on_their_side=lambda log: {"t": log.t[None, :], "q": log.q.T, "tau": log.tau.T},
    matrices_on_their_side=lambda log: {"t": log.t, "q": log.q.T, "tau": log.tau.T},
    time_alone_on_its_side=lambda log: {"t": log.t[None, :], "q": log.q, "tau": log.tau},
    columns_of_one_row=lambda log: {name: x[None, :] for name, x in log.columns().items()},
)
def sideways(bench, content):
    need_read_or_told(rig_of(bench, h5(content)), SIDE, never=r"did you mean 't1'")


@variant(SIGNATURE, "in groups, on their side")
def sideways_groups(bench):
    rig = rig_of(bench, h5(lambda log: {"run/t": log.t[None, :], "run/q": log.q.T, "run/tau": log.tau.T}))
    need_read_or_told(rig, SIDE, log={"time": "run/t", "position": "run/q{i}", "torque": "run/tau{i}"})


@variant(SIGNATURE, "time as a column of one number")
def one_number(bench):
    need_read(rig_of(bench, h5(lambda log: {"t": log.t[:, None], "q": log.q, "tau": log.tau})))


@variants(
    SIGNATURE,
    clean=True,
    upright=by_matrix,
    by_name=by_name,
    more_joints_than_usual=lambda log: {**by_matrix(log), "temperature": numpy.zeros((len(log.t), 12))},
)
def upright(bench, content):
    need_clean(rig_of(bench, h5(content)))


# ---- HDF5: wide data sets beside the log, members that are arrays ----------------------------------------------------

WIDE = "HDF5 with wide data sets or array members"


def with_wide(shape, name, kind="f4"):
    def write(path, log):
        import h5py

        with h5py.File(path, "w") as file:
            for key, data in log.columns().items():
                file[key] = data
            file.create_dataset(name, shape=shape, dtype=kind, chunks=(1, *shape[1:]) if len(shape) > 1 else None)

    return write


@variants(
    WIDE,
    image_of_a_million=with_wide((40, 1000, 1100), "camera/image", "u1"),
    scan=with_wide((7500, 70000), "scan"),
    points_of_another_length=with_wide((12, 90000), "points"),
    many_wide_ones=with_wide((5, 66000), "a/b/c"),
)
def wide_neighbors(bench, write):
    need_read(rig_of(bench, write))


@variant(WIDE, "PyTables with data columns, another key")
def pytables(bench):
    import pandas

    def write(path, log):
        pandas.DataFrame(log.columns()).to_hdf(path, key="session/run1", format="table", data_columns=True)

    rig = rig_of(bench, write)
    done = rig.identify()
    need("too many columns for a log" not in done.err, "too many columns for a log")
    if done.code == 1:  # names with the path in front: the error or a suggestion has the configuration
        suggested = bench.path("suggested.yaml")
        bench.run("check", "--robot", rig.urdf, "--log", rig.train, "--suggest", suggested)
        texts = remedies_in(suggested.read_text() if suggested.exists() else "", done.err)
        need(texts, f"no remedy: {first_line(done.err)}")
        done = rig.identify(config={**BASE, **texts[0]})
    rig.need_right(done)


def structured(fields):
    """`fields`: name -> (values of the log, kind)."""

    def write(path, log):
        import h5py

        parts = fields(log)
        table = numpy.zeros(len(log.t), [(name, kind, values.shape[1:]) for name, (values, kind) in parts.items()])
        for name, (values, _) in parts.items():
            table[name] = values
        with h5py.File(path, "w") as file:
            file["log"] = table

    return write


@variants(
    WIDE,
    arrays_of_float32=(lambda log: {"t": (log.t, "f8"), "q": (log.q, "f4"), "tau": (log.tau, "f4")}, None),
    other_names=(
        lambda log: {"t": (log.t, "f8"), "position": (log.q, "f8"), "effort": (log.tau, "f8")},
        {"position": "position{i}", "torque": "effort{i}"},
    ),
    unused_array_of_two_dimensions=(
        lambda log: {
            "t": (log.t, "f8"),
            "pose": (numpy.zeros((len(log.t), 4, 4)), "f8"),
            "q": (log.q, "f8"),
            "tau": (log.tau, "f8"),
        },
        None,
    ),
)
def array_members(bench, how):
    fields, log = how
    rig = rig_of(bench, structured(fields))
    done = rig.identify(config={**BASE, **({"log": log} if log else {})})
    if done.code == 1:  # members may carry the name of their table
        prefixed = {key: "log/" + value for key, value in {"time": "t", **(log or MATRICES)}.items()}
        done = rig.identify(config={**BASE, "log": prefixed})
    rig.need_right(done)


@variants(WIDE, clean=True, small_neighbor=with_wide((7500, 20), "camera"), nothing_beside=h5(by_name))
def nothing_wide(bench, write):
    need_clean(rig_of(bench, write))


# ---- HDF5: filters that are not there ------------------------------------------------------------------------------

FILTERS = "HDF5 filters that are not there"
PACKED = r"(lzf|blosc|zstd|zstandard|lz4|bzip2|bitshuffle|zfp|sz3?|filter).{0,80}"


def packed(filters, only=None, length=None):
    def write(path, log):
        import h5py

        with h5py.File(path, "w") as file:
            for name, data in log.columns().items():
                options = filters() if only is None or name.startswith(only) else {}
                file.create_dataset(name, data=data, chunks=(500,), **options)

    return write


def plugin(name, **how):
    def options():
        import hdf5plugin

        return dict(getattr(hdf5plugin, name)(**how))

    return options


@variants(
    FILTERS,
    bzip2=(plugin("BZip2"), None, r"bzip2|307\b"),
    lz4=(plugin("LZ4"), None, r"lz4|32004"),
    bitshuffle=(plugin("Bitshuffle"), None, r"bitshuffle|32008"),
    zstd_of_torques_alone=(plugin("Zstd"), "tau", r"zst|32015"),
    blosc2=(plugin("Blosc2"), None, r"blosc|32026"),
    lzf_of_positions_alone=(lambda: {"compression": "lzf"}, "q_", r"lzf|32000"),
    lzf_of_stamps_alone=(lambda: {"compression": "lzf", "shuffle": True}, "t", r"lzf|32000"),
    zfp=(plugin("Zfp", reversible=True), "tau", r"zfp|32013"),
)
def missing_filters(bench, how):
    options, only, name = how
    rig = rig_of(bench, packed(options, only))
    done = rig.identify()
    if done.code in (0, 4):
        rig.need_right(done)
        return
    need_refused(done, name, never=r"copy the file again")
    need(
        re.search(r"gzip|HDF5_PLUGIN_PATH|without compression|uncompressed", done.err, re.I),
        f"no way out: {first_line(done.err)}",
    )


@variants(
    FILTERS,
    clean=True,
    gzip_and_shuffle=packed(lambda: {"compression": "gzip", "shuffle": True}),
    checksum=packed(lambda: {"fletcher32": True}),
)
def filters_built_in(bench, write):
    need_clean(rig_of(bench, write))


@variant(FILTERS, "lzf in a column that no option names", clean=True)
def unused_filter(bench):
    def write(path, log):
        import h5py

        packed(lambda: {})(path, log)
        with h5py.File(path, "a") as file:
            file.create_dataset("temperature", data=log.t, chunks=(500,), compression="lzf")

    need_clean(rig_of(bench, write))
