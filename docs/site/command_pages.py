"""A page for every command of the program, from its help."""
import re
import subprocess


LISTS = {"check": ("Rules", ["check", "--rules"])}  # lists printed by the command itself, shown below its help


def output_of(program, words):
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise SystemExit(f"heft {' '.join(words)} ends with {done.returncode}\n{done.stderr}")
    return done.stdout.replace(str(program), "heft")


def help_of(program, words):
    return output_of(program, [*words, "--help"])


def subcommands(text):
    """Names under "Subcommands:", which are indented by two blanks."""
    if "Subcommands:" not in text:
        return []
    return re.findall(r"^  (\w[\w-]*)\b", text.split("Subcommands:")[1].split("\n\n")[0], re.MULTILINE)


def page_of(program, words):
    text = help_of(program, words)
    title = " ".join(["heft", *words])
    page = f"{'#' * min(len(words) + 1, 2) if len(words) > 1 else '#'} {title}\n\n```text\n{text.strip()}\n```\n"
    return page + "".join("\n" + page_of(program, [*words, name]) for name in subcommands(text) if words)


def write(program, folder):
    """Writes the pages; returns their part of the navigation."""
    place = folder / "reference" / "commands"
    place.mkdir(parents=True, exist_ok=True)
    (place / "heft.md").write_text(page_of(program, []))
    names = [name for name in subcommands(help_of(program, [])) if name != "help"]
    for name in names:
        page = page_of(program, [name])
        if name in LISTS:
            title, words = LISTS[name]
            page += f"\n## {title}\n\n```text\n{output_of(program, words).strip()}\n```\n"
        (place / f"{name}.md").write_text(page)
    return [{f"heft {name}" if name != "heft" else "heft": f"reference/commands/{name}.md"} for name in ["heft", *names]]
