"""Fleets beyond one machine: stores behind a network and the engines of clusters (docs/fleet.md).

    python -m heft_robot fleet run fleet.csv --store s3://bucket/fleet --engine ray

The program `heft fleet` does the work in shards. This package downloads a shard's pieces to a folder, runs the program there, and uploads
new pieces. Results are bit-identical for every store, engine and order, with or without interruptions. Nothing is kept outside the store.
"""
from .commands import main

__all__ = ["main"]
