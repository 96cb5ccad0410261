"""Tables that scripts write into a README, between marks of their own."""


def write_between(path, begin, end, lines):
    """Replaces what stands between the marks in the file."""
    before, rest = path.read_text().split(begin)
    path.write_text(before + begin + "\n" + "\n".join(lines) + "\n" + end + rest.split(end)[1])
