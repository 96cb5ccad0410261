"""Checks a JSON document against a schema of Heft, without the package jsonschema: types, required keys, and unknown keys."""

import json

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float), "null": type(None)}


def is_of(value, name):
    """JSON numbers exclude booleans, which are integers in Python."""
    return isinstance(value, TYPES[name]) and not (isinstance(value, bool) and name in ("integer", "number"))


def wrong_places(document, schema_path):
    """[what is wrong, and where]."""
    schema = json.loads(schema_path.read_text())
    wrong = []

    def walk(value, form, place):
        while "$ref" in form:
            form = schema["$defs"][form["$ref"].rsplit("/", 1)[1]]
        if "anyOf" in form:  # null, or one form
            form = next(choice for choice in form["anyOf"] if (choice.get("type") == "null") == (value is None))
            return walk(value, form, place)
        allowed = form.get("type", [])
        allowed = [allowed] if isinstance(allowed, str) else allowed
        if allowed and not any(is_of(value, name) for name in allowed):
            wrong.append(f"{place} is no {form['type']}")
        elif isinstance(value, dict):
            wrong.extend(f"{place} has no {key}" for key in form.get("required", []) if key not in value)
            for key, item in value.items():
                inner = form.get("properties", {}).get(key, form.get("additionalProperties", {}))
                if inner is False:
                    wrong.append(f"{place} has {key}, which the schema does not know")
                else:
                    walk(item, inner, f"{place}.{key}")
        elif isinstance(value, list):
            for index, item in enumerate(value):
                walk(item, form.get("items", {}), f"{place}[{index}]")

    walk(document, schema, "result")
    return wrong
