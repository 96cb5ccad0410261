"""What goes wrong, in the words of the library."""


class HeftError(Exception):
    """Something that Heft cannot do with what it was given.

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
    """Nothing is wrong: the progress callback answered False."""


class ConversionNote(UserWarning):
    """An array was copied because it is not float64; `warnings.filterwarnings` silences or forbids it."""


class MissingPackage(HeftError, ImportError):
    """An optional package is needed for what was asked."""


def optional(package: str, purpose: str):
    """The module of an optional package, or MissingPackage that says how to install it."""
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError as error:
        name = {"sklearn": "scikit-learn"}.get(package.split(".")[0], package.split(".")[0])
        raise MissingPackage(name, f"is not installed; {purpose} needs it",
                             f"pip install {name}, or pip install 'heft-robot[all]'") from error
