"""MLflow: a run's artifacts, logged, listed, loaded and deleted."""

import os
import tempfile

from checks import ENDPOINT, MIB, check, content, new_bucket_name, run, same, same_bytes

FOLDER = tempfile.TemporaryDirectory()
os.environ["MLFLOW_S3_ENDPOINT_URL"] = ENDPOINT
os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"  # runs in files: the skinny package has no SQL
os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
os.environ["MLFLOW_MULTIPART_UPLOAD_CHUNK_SIZE"] = str(5 * MIB)

import boto3  # noqa: E402
import mlflow  # noqa: E402
from mlflow.store.artifact.artifact_repository_registry import get_artifact_repository  # noqa: E402

BUCKET = new_bucket_name("mlflow")
BIG = content("mlflow model", 20 * MIB + 3)
FILES = {f"epoch {n % 3}/metrics-{n:02}.bin": content(f"mlflow {n}", 500 + n) for n in range(12)}
CLIENT = boto3.client("s3", endpoint_url=ENDPOINT)

mlflow.set_tracking_uri(f"file:{FOLDER.name}/runs")


def path(name, data=None):
    full = os.path.join(FOLDER.name, name)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    if data is not None:
        with open(full, "wb") as out:
            out.write(data)
    return full


def read(name):
    with open(name, "rb") as source:
        return source.read()


@check
def a_run_logs_its_artifacts():
    CLIENT.create_bucket(Bucket=BUCKET)
    experiment = mlflow.create_experiment("training", artifact_location=f"s3://{BUCKET}/experiments/training")
    for name, data in FILES.items():
        path(f"out/{name}", data)
    path("out/model.bin", BIG)
    with mlflow.start_run(experiment_id=experiment) as training:
        mlflow.log_artifacts(path("out"), "checkpoints")
        mlflow.log_dict({"rate": 0.1}, "settings/optimizer.json")
        mlflow.log_text("gut", "notes/über.txt")
        mlflow.log_artifact(path("out/model.bin"))
    os.environ["RUN"] = training.info.run_id


@check
def its_artifacts_are_listed_and_loaded():
    same(sorted(found.path for found in mlflow.artifacts.list_artifacts(run_id=os.environ["RUN"])),
         ["checkpoints", "model.bin", "notes", "settings"], "the top")
    listed = mlflow.artifacts.list_artifacts(run_id=os.environ["RUN"], artifact_path="checkpoints")
    same([(found.path, found.is_dir, found.file_size) for found in listed],
         [(f"checkpoints/epoch {n}", True, None) for n in range(3)] + [("checkpoints/model.bin", False, len(BIG))], "a folder")
    back = mlflow.artifacts.download_artifacts(run_id=os.environ["RUN"], artifact_path="checkpoints", dst_path=path("back/"))
    for name, data in FILES.items():
        same(read(os.path.join(back, name)), data, name)
    same_bytes(read(os.path.join(back, "model.bin")), BIG, "the model")
    uri = f"s3://{BUCKET}/experiments/training/{os.environ['RUN']}/artifacts"
    same(mlflow.artifacts.load_text(f"{uri}/notes/über.txt"), "gut", "a text")
    same(mlflow.artifacts.load_dict(f"{uri}/settings/optimizer.json"), {"rate": 0.1}, "settings")


@check
def artifacts_are_deleted():
    repository = get_artifact_repository(f"s3://{BUCKET}/experiments/training/{os.environ['RUN']}/artifacts")
    repository.delete_artifacts("checkpoints")
    same([found.path for found in repository.list_artifacts("checkpoints")], [], "what is left of a folder")
    repository.delete_artifacts()
    same(CLIENT.list_objects_v2(Bucket=BUCKET)["KeyCount"], 0, "what is left")
    CLIENT.delete_bucket(Bucket=BUCKET)


run()
