"""Uploads of one client, one after the other, to Sluice and to MinIO in turns; prints the table of docs/benchmarks.md."""

import argparse
import os
import statistics
import sys
import time

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config

MIB = 1 << 20
BUCKET = "stream"


def client(url, signed):
    return boto3.client(
        "s3",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id=os.environ["SLUICE_ACCESS_KEY"],
        aws_secret_access_key=os.environ["SLUICE_SECRET_KEY"],
        config=Config(
            retries={"total_max_attempts": 1},
            s3={"addressing_style": "path", "payload_signing_enabled": signed}))


def put(s3, key, path):
    """One request from memory for what is small, from the file for what is not."""
    if os.path.getsize(path) <= 64 * MIB:
        with open(path, "rb") as file:
            body = file.read()
        begun = time.perf_counter()
        s3.put_object(Bucket=BUCKET, Key=key, Body=body)
    else:
        begun = time.perf_counter()
        with open(path, "rb") as file:
            s3.put_object(Bucket=BUCKET, Key=key, Body=file)
    return time.perf_counter() - begun


def parts(threads):
    def upload(s3, key, path):
        begun = time.perf_counter()
        s3.upload_file(path, BUCKET, key, Config=TransferConfig(use_threads=threads))
        return time.perf_counter() - begun
    return upload


# row: what is uploaded, how often in a round, how
ROWS = {
    "32MiB": (32 * MIB, 8, put),
    "1GiB": (1024 * MIB, 1, put),
    "1GiB-parts": (1024 * MIB, 1, parts(False)),
    "1GiB-parts-10": (1024 * MIB, 1, parts(True)),
}


def cpu_seconds(pids):
    """Processor time of the server, user and kernel."""
    ticks = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def source(folder, size):
    path = os.path.join(folder, f"source-{size}")
    if not os.path.exists(path):
        with open(path, "wb") as file:
            for _ in range(size // MIB):
                file.write(os.urandom(MIB))
    return path


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("folder", help="where the bytes to upload are made")
    arguments.add_argument("--system", action="append", required=True, metavar="NAME=URL=PID[,PID]")
    arguments.add_argument("--rows", default=" ".join(ROWS))
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--warm-up", type=int, default=1, help="rounds before that count for nothing")
    asked = arguments.parse_args()
    systems = {}
    for each in asked.system:
        name, url, pids = each.split("=", 2)
        systems[name] = (url, pids.split(","))
    for url, _ in systems.values():
        client(url, True).create_bucket(Bucket=BUCKET)
    rates, costs = {}, {}
    for number in range(-asked.warm_up, asked.rounds):
        for row in asked.rows.split():
            size, times, upload = ROWS[row]
            path = source(asked.folder, size)
            for signed in (True, False):
                # each goes first as often as the other
                for name, (url, pids) in sorted(systems.items(), reverse=number % 2 == 1):
                    s3 = client(url, signed)
                    s3.list_buckets()
                    cpu = cpu_seconds(pids)
                    seconds = [upload(s3, f"{row}/{i}", path) for i in range(times)]
                    cpu = cpu_seconds(pids) - cpu
                    s3.delete_objects(Bucket=BUCKET, Delete={"Objects": [{"Key": f"{row}/{i}"} for i in range(times)]})
                    if number >= 0:
                        rates.setdefault((row, signed, name), []).extend(size / MIB / each for each in seconds)
                        costs.setdefault((row, signed, name), []).append(cpu * 1000 / (size / MIB * times))
                    print(f"round {number + 1} {row} {'signed' if signed else 'unsigned'} {name}: "
                          f"{size / MIB * times / sum(seconds):.0f} MiB/s, {cpu * 1000 / (size / MIB * times):.2f} ms of the server a MiB",
                          file=sys.stderr)
    load = os.getloadavg()[0]
    print(f"| {asked.rounds} rounds, load {load:.0f} | payload | " + " | ".join(f"{name} MiB/s" for name in sorted(systems))
          + " | ratio | " + " | ".join(f"{name} ms CPU a MiB" for name in sorted(systems)) + " |")
    print("|--|--|" + "--:|" * (2 * len(systems) + 1))
    for row in asked.rows.split():
        for signed in (True, False):
            medians = {name: statistics.median(rates[row, signed, name]) for name in sorted(systems)}
            cost = {name: statistics.median(costs[row, signed, name]) for name in sorted(systems)}
            ratio = f"{medians['sluice'] / medians['minio']:.2f}" if {"sluice", "minio"} <= medians.keys() else ""
            print(f"| {row} | {'signed' if signed else 'unsigned'} | " + " | ".join(f"{each:.0f}" for each in medians.values())
                  + f" | {ratio} | " + " | ".join(f"{each:.2f}" for each in cost.values()) + " |")


main()
