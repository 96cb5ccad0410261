"""Exceptions and warnings of the library."""


class HeftError(Exception):
    """An error in the input, with its place and its remedy.

    where:  the place: a file and line, an argument, or the name of an option; may be empty
    what:   what is wrong there
    remedy: what to do about it; may be empty
    """

    def __init__(self, where: str, what: str, remedy: str = ""):
        super().__init__(where, what, remedy)
        self.where, self.what, self.remedy = where, what, remedy

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text}\n  remedy: {self.remedy}" if self.remedy else text


class Stopped(HeftError):
    """The progress callback returned False; nothing is wrong."""


class ConversionNote(UserWarning):
    """An array was copied because it is not float64; `warnings.filterwarnings` silences or forbids it."""


class LogNote(UserWarning):
    """A note on how a log was read: columns left out, times that were not measured, units."""


class ModelNote(UserWarning):
    """A part of an MJCF model that is left out or that identified.xml cannot hold, or the reason why it is not written."""


class UnknownName(HeftError, KeyError):
    """A body, column or other part that the result does not have; the remedy names the nearest ones. Also a KeyError."""


class MissingPackage(HeftError, ImportError):
    """The call needs an optional package."""


#: packages of other names than their modules
_PACKAGES = {"sklearn": "scikit-learn", "pxr": "usd-core"}


def optional(module: str, purpose: str, extra: str = "all"):
    """A module of an optional package, or MissingPackage that says how to install or repair it; `extra` is the optional dependency
    group that contains it."""
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        root = module.split(".")[0]
        package = _PACKAGES.get(root, root)
        if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
            raise MissingPackage(package, f"is not installed; {purpose} needs it",
                                 f"pip install {package}, or, in a clone of Heft, pip install '.[{extra}]'") from error
        # installed, but for example incomplete after an upgrade: pip install would be satisfied with it
        raise MissingPackage(package, f"is installed but cannot be imported; {purpose} needs it: {error}",
                             f"pip install --force-reinstall {package}") from error
