"""Medians and ratios of bench/compare: a markdown table on standard output, everything as JSON in a file."""

import json
import os
import statistics
import sys


def read(path):
    figures = {}
    units = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            row, system, _, value, unit = line.rstrip("\n").split("\t")
            figures.setdefault(row, {}).setdefault(system, []).append(float(value))
            units[row] = unit
    return figures, units


def yardstick(row):
    """GETs are compared with what the machine can do, all else with the other object store."""
    return "nginx" if row.startswith("get-") else "minio"


def describe(row, medians, unit):
    base = medians.get(yardstick(row))
    cells = {}
    for system, value in medians.items():
        cells[system] = {"median": value, "unit": unit}
        if base and row != "peak-memory" and system != yardstick(row):
            cells[system]["ratio_to_" + yardstick(row)] = value / base
    return cells


def figure(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:,.1f}"


def text(cell):
    ratio = next((v for k, v in cell.items() if k.startswith("ratio_to_")), None)
    return figure(cell["median"]) + (f" (×{ratio:.2f})" if ratio is not None else "")


def main(source, target, connections, seconds, rounds):
    figures, units = read(source)
    systems = list(dict.fromkeys(system for row in figures.values() for system in row))
    result = {}
    print(f"Medians of {rounds} interleaved rounds of {seconds} s, {connections} connections, "
          f"{os.cpu_count()} cores shared with the client. In brackets: × nginx for GET, × MinIO for the rest.\n")
    print("| | unit | " + " | ".join(systems) + " |")
    print("|--|--|" + "--:|" * len(systems))
    for row, by_system in figures.items():
        medians = {system: statistics.median(values) for system, values in by_system.items()}
        result[row] = describe(row, medians, units[row])
        cells = [text(result[row][s]) if s in result[row] else "" for s in systems]
        print(f"| {row.replace('-', ' ')} | {units[row]} | " + " | ".join(cells) + " |")
    with open(target, "w", encoding="utf-8") as out:
        json.dump({"rows": result, "all": figures, "cores": os.cpu_count(), "load": os.getloadavg()}, out, indent=2)


if __name__ == "__main__":
    main(*sys.argv[1:])
