package dev.sluice.deploy;

import dev.sluice.deploy.harness.Endpoint;
import dev.sluice.deploy.harness.Mode;
import dev.sluice.deploy.harness.PythonPackage;
import dev.sluice.deploy.harness.Running;
import dev.sluice.deploy.harness.SluiceCluster;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The parts of the Python package that need PyTorch, and the examples (`deploy/peers install ml`).
@Tag("shared")
@Tag("long")
@Tag("peers")
final class PythonTrainingTest {
    private final Endpoint endpoint;
    private final PythonPackage python;
    private final String bucket = "python-" + UUID.randomUUID();

    PythonTrainingTest(@Running(Mode.SEPARATE) SluiceCluster cluster) {
        this.endpoint = cluster.endpoint();
        this.python = new PythonPackage("ml", endpoint);
    }

    @BeforeEach
    void createBucket() {
        try (var s3 = endpoint.client()) {
            s3.createBucket(request -> request.bucket(bucket));
        }
    }

    @Test
    void longTestsOfThePackagePass() {
        python.tests(true);
    }

    @Test
    void dataLoaderReadsShardsAndContinuesInTheMiddleOfAnEpoch() {
        python.example("dataloader.py", "sluice://%s/shards".formatted(bucket));
        python.example("resume.py", "sluice://%s/shards".formatted(bucket));
    }

    @Test
    void otherLoadersReadSingleSamples() {
        python.example("grain_loader.py", "sluice://%s/grain".formatted(bucket));
        python.example("huggingface_trainer.py", "sluice://%s/trainer".formatted(bucket));
    }

    @Test
    void pyarrowAndDuckDbReadParquet() {
        python.example("parquet_pyarrow.py", "sluice://%s/table".formatted(bucket));
        python.example("parquet_duckdb.py", "sluice://%s/table".formatted(bucket));
    }

    @Test
    void huggingFaceDatasetsReadByFsspec() {
        python.example("huggingface_datasets.py", "sluice://%s/dataset".formatted(bucket));
    }

    @Test
    void librariesThatKnowOnlyS3ReadAndWrite() {
        python.example("s3torchconnector_reads.py", "s3://%s/connector".formatted(bucket));
        python.example("mosaicml_streaming.py", "s3://%s/mds".formatted(bucket));
    }
}
