"""Fails if a dependency has a license that deny.toml does not allow, or is not from the registry."""

import json
import re
import subprocess
import sys
import tomllib

with open("deny.toml", "rb") as file:
    allowed = set(tomllib.load(file)["licenses"]["allow"])
metadata = json.loads(subprocess.check_output(["cargo", "metadata", "--locked", "--format-version", "1"]))


def permits(expression):
    """Whether every term of a license expression contains an allowed license."""
    terms = re.sub(r"[()]", "", expression.replace("/", " OR ")).split(" AND ")
    return all(allowed & {choice.strip() for choice in term.split(" OR ")} for term in terms)


faults = [
    f"{package['name']} {package['version']}: {package['license']}, {package['source']}"
    for package in metadata["packages"]
    if package["source"] is not None
    and not (permits(package["license"] or "") and package["source"].startswith("registry+"))
]
sys.exit("\n".join(faults) or None)
