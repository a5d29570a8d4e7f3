"""Checks a JobSet on stdin: check_jobset.py SCHEMA HOSTS CHIPS_PER_HOST [google.com/tpu|nvidia.com/gpu].

The schema is a subset of JSON Schema (type, enum, pattern, minimum, items, properties, required, additionalProperties, $ref to a
definition), so that no package is needed to read it.
"""

import copy
import json
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}


def problems(value, schema, definitions, path="manifest"):
    if "$ref" in schema:
        schema = definitions[schema["$ref"]]
    if "enum" in schema:
        return [] if value in schema["enum"] else [f"{path}: {value!r} is none of {schema['enum']}"]
    expected = TYPES[schema["type"]]
    if not isinstance(value, expected) or (expected is int and isinstance(value, bool)):
        return [f"{path}: {value!r} is no {schema['type']}"]
    found = []
    if "pattern" in schema and not re.search(schema["pattern"], value):
        found.append(f"{path}: {value!r} does not match {schema['pattern']}")
    if "minimum" in schema and value < schema["minimum"]:
        found.append(f"{path}: {value} is below {schema['minimum']}")
    if expected is list:
        for i, element in enumerate(value):
            found += problems(element, schema["items"], definitions, f"{path}[{i}]")
    if expected is dict:
        found += [f"{path}: {key} is missing" for key in schema.get("required", []) if key not in value]
        for key, member in value.items():
            rest = schema.get("additionalProperties", True)
            if key in schema.get("properties", {}):
                found += problems(member, schema["properties"][key], definitions, f"{path}.{key}")
            elif isinstance(rest, dict):
                found += problems(member, rest, definitions, f"{path}.{key}")
            elif not rest:
                found.append(f"{path}: there is no field {key}")
    return found


def main() -> None:
    with open(sys.argv[1]) as file:
        schema = json.load(file)
    hosts, chips = int(sys.argv[2]), int(sys.argv[3])
    resource = sys.argv[4] if len(sys.argv) > 4 else "google.com/tpu"
    manifest = json.load(sys.stdin)
    check = lambda value: problems(value, schema, schema["definitions"])
    assert check(manifest) == [], check(manifest)

    job = manifest["spec"]["replicatedJobs"][0]["template"]["spec"]
    pod = job["template"]["spec"]
    assert job["completions"] == job["parallelism"] == hosts, job
    assert pod["containers"][0]["resources"]["limits"] == {resource: chips}
    mounted = {mount["name"] for container in pod["containers"] for mount in container["volumeMounts"]}
    assert mounted == {volume["name"] for volume in pod["volumes"]}
    codes = job["podFailurePolicy"]["rules"][0]["onExitCodes"]
    assert codes["values"] == [2] and codes["containerName"] == pod["containers"][0]["name"]

    # The check can fail: each of these is a mistake that kubectl would refuse.
    def broken(change):
        bad = copy.deepcopy(manifest)
        change(bad, bad["spec"]["replicatedJobs"][0]["template"]["spec"])
        return bad

    for change, sentence in [
        (lambda m, j: m["spec"].update(replicatedJob=[]), "there is no field replicatedJob"),
        (lambda m, j: j.pop("template"), "template is missing"),
        (lambda m, j: j.update(parallelism="16"), "'16' is no integer"),
        (lambda m, j: j.update(backoffLimit=-1), "-1 is below 0"),
        (lambda m, j: j["template"]["spec"].update(restartPolicy="Always"), "'Always' is none of"),
        (lambda m, j: m["metadata"].update(name="Not_A_Name"), "does not match"),
        (lambda m, j: j["template"]["spec"].setdefault("nodeSelector", {}).update(spot=True), "True is no string"),
    ]:
        found = check(broken(change))
        assert any(sentence in problem for problem in found), (sentence, found)


main()
