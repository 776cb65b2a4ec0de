"""What the tests of engines share: a session of each engine, and the large files.

`make engines` runs each folder in an environment that has its engine and no other.
"""

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
# Workers find the classes of `samples` and of the example there, and are the same interpreter.
FOLDERS = [str(HERE), str(HERE.parents[1] / "examples/pubmed")]
sys.path[:0] = FOLDERS
os.environ["PYTHONPATH"] = os.pathsep.join(
    [*FOLDERS, *filter(None, [os.environ.get("PYTHONPATH")])]
)
os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"

# Workers find the store where the driver does: in the environment, which they get when they begin.
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    STORE = free.getsockname()[1]
os.environ |= {
    "AWS_ACCESS_KEY_ID": "anybody",
    "AWS_SECRET_ACCESS_KEY": "anything",
    "AWS_REGION": "us-east-1",
    "AWS_ENDPOINT_URL": f"http://127.0.0.1:{STORE}",
    "AWS_ALLOW_HTTP": "true",
}


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the files of `samples`."""
    return tmp_path_factory.mktemp("large")


@pytest.fixture(scope="session")
def bucket(large: Path) -> Iterator[str]:
    """The address of a bucket with the files of `samples`, in a server of S3."""
    boto3 = pytest.importorskip("boto3")
    import samples
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", STORE, verbose=False)
    server.start()
    client = boto3.client("s3", endpoint_url=f"http://127.0.0.1:{STORE}", region_name="us-east-1")
    client.create_bucket(Bucket="bucket")
    for name in samples.FILES:
        client.upload_file(str(samples.written(large, name)), "bucket", name)
    yield "s3://bucket"
    server.stop()


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session of Sail if it is installed, else of Spark.

    SPARK_MASTER says how Spark runs: by default in one JVM with two threads.
    """
    from pyspark.sql import SparkSession

    import penstock.spark

    try:
        from pysail.spark import SparkConnectServer
    except ImportError:
        builder = SparkSession.builder.master(os.environ.get("SPARK_MASTER", "local[2]"))
        settings = {
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.python.filterPushdown.enabled": "true",
            "spark.sql.files.maxPartitionBytes": str(4 << 20),
            "spark.log.level": "OFF",
        }
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.dataSource.register(penstock.spark.DataSource)
        yield session
        session.stop()
        return
    server = SparkConnectServer()
    server.start(background=True)
    address = f"sc://127.0.0.1:{server.listening_address[1]}"
    session = SparkSession.builder.remote(address).getOrCreate()
    session.dataSource.register(penstock.spark.DataSource)
    yield session
    session.stop()
    server.stop()


@pytest.fixture(scope="session")
def ray() -> Iterator[Any]:
    """Two workers of Ray."""
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    yield ray
    ray.shutdown()


@pytest.fixture
def work_of_ray(ray: Any, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many tasks plan the parts of each file: one of more than 3 MiB has several."""
    import penstock.ray
    from penstock._engines import tasks

    assert ray.is_initialized()
    monkeypatch.setattr(tasks, "LARGE", 3 << 20)
    counts: list[int] = []
    real = penstock.ray._in_tasks

    def counted(work: list[dict[str, Any]]) -> list[Any]:
        counts.append(len(work))
        return real(work)

    monkeypatch.setattr(penstock.ray, "_in_tasks", counted)
    return counts
