package dev.sluice.cli.demo.reading;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.demo.dataset.DataSetUpload;
import dev.sluice.cli.demo.dataset.ImageShards;
import dev.sluice.cli.demo.dataset.Manifest;
import dev.sluice.cli.demo.dataset.ShardStore;
import dev.sluice.cli.demo.dataset.TarReader;
import dev.sluice.cli.demo.dataset.TarWriter;
import dev.sluice.cli.demo.reading.ShardRead.RecordCounts;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EpochReaderTest {
    private static final int SHARDS = 4;
    private static final int SAMPLES = 6;
    private static final String DAMAGED = "train-000002.tar";

    @TempDir
    Path folder;

    @TempDir
    Path work;

    private FolderStore store = new FolderStore(Path.of("unset"));
    private Manifest manifest = new Manifest(Map.of());

    @BeforeEach
    void makeDataSet() throws Exception {
        store = new FolderStore(folder);
        manifest = new DataSetUpload(new ImageShards(5, SHARDS, SAMPLES), store).run(work);
    }

    @Test
    void everyRecordOfEveryShardIsReadOnce() throws InterruptedException {
        EpochOutcome outcome = epoch();
        assertThat(outcome.records()).isEqualTo(new RecordCounts(SHARDS * SAMPLES, 0, 0));
        assertThat(outcome.shards()).extracting(ShardRead::key).containsExactlyInAnyOrderElementsOf(manifest.keys());
        assertThat(outcome.bytes()).isEqualTo(manifest.bytes());
        assertThat(outcome.failures()).isEmpty();
        assertThat(outcome.shards())
                .allSatisfy(shard -> assertThat(shard.firstByte()).isBetween(shard.began(), shard.ended()));
    }

    @Test
    void theSeedDecidesTheOrder() throws InterruptedException {
        assertThat(orderOf(1)).isEqualTo(orderOf(1)).isNotEqualTo(orderOf(2));
    }

    @Test
    void oneFlippedByteIsOneWrongRecord() throws Exception {
        Path shard = folder.resolve(DAMAGED);
        byte[] bytes = Files.readAllBytes(shard);
        bytes[512 + 700] ^= 1; // in the first picture
        Files.write(shard, bytes);
        assertThat(epoch().records()).isEqualTo(new RecordCounts(SHARDS * SAMPLES - 1, 1, 0));
    }

    @Test
    void aMissingRecordIsNoticed() throws Exception {
        rewrite(name -> !name.startsWith("000013."));
        assertThat(epoch().records()).isEqualTo(new RecordCounts(SHARDS * SAMPLES - 1, 0, 1));
    }

    @Test
    void aRecordWithoutItsLabelIsWrong() throws Exception {
        rewrite(name -> !name.equals("000013.cls"));
        assertThat(epoch().records()).isEqualTo(new RecordCounts(SHARDS * SAMPLES - 1, 1, 0));
    }

    @Test
    void aShardThatStopsHalfwayIsAFailureAndItsRestIsMissing() throws Exception {
        byte[] bytes = Files.readAllBytes(folder.resolve(DAMAGED));
        Files.write(folder.resolve(DAMAGED), Arrays.copyOf(bytes, bytes.length / 2));
        EpochOutcome outcome = epoch();
        assertThat(outcome.failures()).singleElement().asString().contains(DAMAGED);
        assertThat(outcome.records().wrong()).isZero();
        assertThat(outcome.records().missing()).isBetween(1L, SAMPLES - 1L);
        assertThat(outcome.records().right() + outcome.records().missing()).isEqualTo(SHARDS * SAMPLES);
    }

    @Test
    void anAbsentShardIsAFailure() throws Exception {
        Files.delete(folder.resolve(DAMAGED));
        EpochOutcome outcome = epoch();
        assertThat(outcome.failures()).hasSize(1);
        assertThat(outcome.records()).isEqualTo(new RecordCounts((SHARDS - 1) * SAMPLES, 0, SAMPLES));
    }

    private EpochOutcome epoch() throws InterruptedException {
        return new EpochReader(store, manifest, 3).read(9);
    }

    private List<String> orderOf(long seed) throws InterruptedException {
        List<String> opened = Collections.synchronizedList(new ArrayList<>());
        var recording = new ShardStore() {
            @Override
            public void createBucket() throws IOException {
                store.createBucket();
            }

            @Override
            public void put(String key, Path file) throws IOException {
                store.put(key, file);
            }

            @Override
            public InputStream open(String key) throws IOException {
                opened.add(key);
                return store.open(key);
            }

            @Override
            public List<String> list() throws IOException {
                return store.list();
            }
        };
        new EpochReader(recording, manifest, 1).read(seed);
        return opened;
    }

    /// Writes the damaged shard anew with only some of its files.
    private void rewrite(Predicate<String> keep) throws IOException {
        var kept = new ArrayList<TarReader.Entry>();
        try (var tar = new TarReader(store.open(DAMAGED))) {
            for (var entry = tar.next(); entry.isPresent(); entry = tar.next()) {
                entry.filter(each -> keep.test(each.name())).ifPresent(kept::add);
            }
        }
        try (var tar = new TarWriter(Files.newOutputStream(folder.resolve(DAMAGED)))) {
            for (var entry : kept) {
                tar.add(entry.name(), entry.content());
            }
        }
        assertThat(kept).isNotEmpty();
    }
}
