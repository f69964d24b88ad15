# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""C++ gRPC's bare echo, with Debian's libgrpc++."""

from pathlib import Path

from .benchmark import BENCHMARKS, Benchmark, say
from .loads import Measurement, run_load
from .packages import check, install, is_older
from .servers import Server, free_port

NAMES = ["grpc-cpp"]

SOURCES = BENCHMARKS / "peers/grpc-cpp"
# Connections at 64 in flight: the fastest of 1, 2, 4, 8 and 16. Likewise the server's threads, of 1 and 2.
CHANNELS = 1
SERVER_THREADS = 1
PARAMS_BYTES = 250


def build(folder: Path) -> None:
    if not any(is_older(folder / name, SOURCES / f"{name}.cc", SOURCES / "echo.proto") for name in ("echo", "load")):
        return
    install("g++", "pkg-config", "libgrpc++-dev", "libprotobuf-dev", "protobuf-compiler", "protobuf-compiler-grpc")
    say("compiling the gRPC peer")
    folder.mkdir(exist_ok=True)
    plugin = check(["which", "grpc_cpp_plugin"]).strip()
    check([
        "protoc", f"-I{SOURCES}", f"--cpp_out={folder}", f"--grpc_out={folder}", f"--plugin=protoc-gen-grpc={plugin}",
        str(SOURCES / "echo.proto")])
    libraries = check(["pkg-config", "--libs", "grpc++", "protobuf"]).split()
    for name in ("echo", "load"):
        check([
            "g++", "-O2", "-std=c++17", f"-I{folder}", f"-I{SOURCES}", "-o", str(folder / name),
            str(SOURCES / f"{name}.cc"), str(folder / "echo.pb.cc"), str(folder / "echo.grpc.pb.cc"), *libraries])


def load(folder: Path, address: str, in_flight: int, seconds: float) -> Measurement:
    channels = min(in_flight, CHANNELS)
    return run_load(
        [str(folder / "load"), address, str(in_flight), str(channels), str(seconds), str(PARAMS_BYTES)], seconds)


def enter(benchmark: Benchmark) -> None:
    built = benchmark.built / "grpc-cpp"
    build(built)
    folder = benchmark.subfolder("grpc-cpp")
    port = free_port()
    address = f"127.0.0.1:{port}"
    server = benchmark.running.enter_context(
        Server([str(built / "echo"), address, str(SERVER_THREADS)], folder / "log"))
    server.wait_for_port(port)
    benchmark.row("grpc-cpp", server, lambda in_flight, seconds: load(built, address, in_flight, seconds))
