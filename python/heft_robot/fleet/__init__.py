"""Fleets beyond one machine: stores behind a network, and the engines that clusters have (docs/fleet.md).

    python -m heft_robot fleet run fleet.csv --store s3://bucket/fleet --engine ray

The program `heft fleet` does the work in shards. This package brings a shard's pieces to a folder, runs the program
there, and brings back what is new: bits do not depend on store, engine, order or interruptions. Nothing is kept outside the store.
"""
from .commands import main

__all__ = ["main"]
