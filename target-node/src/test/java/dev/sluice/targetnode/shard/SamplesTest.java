package dev.sluice.targetnode.shard;

import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.peer.ScrubCommand;
import dev.sluice.common.s3.ByteRange;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.ShardMember;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.coldfill.GatedCloud;
import dev.sluice.targetnode.coldfill.Received;
import dev.sluice.targetnode.coldfill.TargetFixture;
import dev.sluice.testing.SampleTar;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Samples of a shard by number, on one target: their bytes, how many there are, and the index that tells where.
class SamplesTest {
    private static final String KEY = "train/0001.tar";
    private static final SampleTar SHARD = SampleTar.of(60, 90_000, 1);

    @TempDir
    private Path folder;

    private final GatedCloud cloud = new GatedCloud();
    private TargetFixture target;

    @BeforeEach
    void start() throws IOException {
        target = new TargetFixture(folder, cloud);
    }

    @AfterEach
    void stop() {
        target.close();
    }

    /// With an empty memory.
    private void restart() throws IOException {
        target.close();
        start();
    }

    private Received sample(Bucket bucket, int first, int count) {
        return target.get(bucket, KEY, new ShardMember.Samples(first, count), Optional.empty());
    }

    private void requireSamples(Bucket bucket) {
        for (int i = 0; i < SHARD.samples().size(); i++) {
            var got = sample(bucket, i, 1);
            assertThat(got.status()).isEqualTo(200);
            assertThat(got.body()).as("sample %d", i).isEqualTo(SHARD.samples().get(i));
            assertThat(got.header("x-sluice-sample")).isEqualTo(Integer.toString(i));
            assertThat(got.header("x-sluice-crc32")).isEqualTo("%08x".formatted(SHARD.crc32(i)));
            assertThat(got.header("x-amz-checksum-crc64nvme")).as("the shard's").isEmpty();
        }
    }

    private List<Path> indexes() {
        var shards = target.drive().resolve(".sluice/shards");
        if (!Files.isDirectory(shards)) {
            return List.of();
        }
        try (var files = Files.list(shards)) {
            return files.toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Test
    void aSampleIsItsPartOfTheTar() throws IOException {
        target.put(target.own(), KEY, SHARD.bytes());
        requireSamples(target.own());
        assertThat(indexes()).hasSize(1);
        restart();
        requireSamples(target.own());
        var etag = target.head(target.own(), KEY).header("ETag");
        assertThat(sample(target.own(), 3, 1).header("ETag")).isEqualTo(etag);
    }

    @Test
    void samplesOneAfterTheOtherAreOneRange() {
        target.put(target.own(), KEY, SHARD.bytes());
        var got = sample(target.own(), 10, 3);
        assertThat(got.body()).isEqualTo(joined(10, 3));
        assertThat(got.header("x-sluice-crc32")).isEmpty();
        assertThat(sample(target.own(), 0, 60).body())
                .isEqualTo(Arrays.copyOf(SHARD.bytes(), SHARD.bytes().length - 1024));
    }

    private static byte[] joined(int first, int count) {
        var all = new ByteArrayOutputStream();
        SHARD.samples().subList(first, first + count).forEach(all::writeBytes);
        return all.toByteArray();
    }

    @Test
    void aRangeIsOneOfTheSamplesBytes() {
        target.put(target.own(), KEY, SHARD.bytes());
        var sample = SHARD.samples().get(5);
        var got = target.get(
                target.own(), KEY, new ShardMember.Samples(5, 1), Optional.of(new ByteRange.FromTo(512, 1023)));
        assertThat(got.status()).isEqualTo(206);
        assertThat(got.body()).isEqualTo(Arrays.copyOfRange(sample, 512, 1024));
        assertThat(got.header("Content-Range")).isEqualTo("bytes 512-1023/" + sample.length);
        assertThatThrownBy(() -> target.get(
                        target.own(),
                        KEY,
                        new ShardMember.Samples(5, 1),
                        Optional.of(new ByteRange.FromTo(sample.length, sample.length + 1))))
                .isInstanceOf(StoreException.RangeNotSatisfiable.class);
    }

    @Test
    void aShardSaysHowManySamplesItHas() {
        target.put(target.own(), KEY, SHARD.bytes());
        var etag = target.head(target.own(), KEY).header("ETag").replace("\"", "");
        var got = target.get(
                target.own(), KEY, new ShardMember.Count(), Optional.of(new ByteRange.FromTo(0, Long.MAX_VALUE)));
        assertThat(got.text())
                .isEqualTo("{\"samples\":60,\"size\":%d,\"etag\":\"%s\"}\n".formatted(SHARD.bytes().length, etag));
        assertThat(got.header("Content-Type")).isEqualTo("application/json");
    }

    @Test
    void whatIsNotThereIsRefused() {
        target.put(target.own(), KEY, SHARD.bytes());
        for (var outside : List.of(
                new ShardMember.Samples(60, 1),
                new ShardMember.Samples(59, 2),
                new ShardMember.Samples(Integer.MAX_VALUE, Integer.MAX_VALUE))) {
            assertThatThrownBy(() -> target.get(target.own(), KEY, outside, Optional.empty()))
                    .isInstanceOf(StoreException.NoSuchSample.class)
                    .hasMessageContaining("has 60 samples");
        }
        target.put(target.own(), KEY, "no tar".getBytes(StandardCharsets.UTF_8));
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> sample(target.own(), 0, 1)).isInstanceOf(StoreException.NoWholeTar.class);
        }
    }

    /// Also of one that has not so many samples, or none: a reader that wants another version must learn that.
    @Test
    void conditionsAreOfTheShardAndComeFirst() {
        target.put(target.own(), KEY, "no tar".getBytes(StandardCharsets.UTF_8));
        var other = new Conditions(Optional.of("\"other\""), Optional.empty(), Optional.empty(), Optional.empty());
        assertThatThrownBy(() -> target.get(target.own(), KEY, new ShardMember.Samples(5, 1), Optional.empty(), other))
                .isInstanceOf(StoreException.PreconditionFailed.class);
    }

    @Test
    void anIndexThatIsNotWholeOrNotTheShardsIsMadeAgain() throws IOException {
        target.put(target.own(), "other", SampleTar.of(3, 100, 2).bytes());
        target.put(target.own(), KEY, SHARD.bytes());
        assertThat(target.get(target.own(), "other", new ShardMember.Samples(0, 1), Optional.empty())
                        .status())
                .isEqualTo(200);
        var others = indexes().getFirst();
        requireSamples(target.own());
        var index = indexes().stream()
                .filter(each -> !each.equals(others))
                .findFirst()
                .orElseThrow();
        var whole = Files.readAllBytes(index);
        var flipped = whole.clone();
        flipped[100] ^= 1;
        for (var bad : List.of(flipped, Arrays.copyOf(whole, 200), Files.readAllBytes(others), new byte[0])) {
            Files.write(index, bad);
            restart();
            requireSamples(target.own());
            assertThat(Files.readAllBytes(index)).isEqualTo(whole);
        }
        Files.delete(index);
        restart();
        requireSamples(target.own());
        assertThat(Files.readAllBytes(index)).isEqualTo(whole);
    }

    @Test
    void anIndexGoesWithItsVersion() throws IOException {
        target.put(target.own(), KEY, SHARD.bytes());
        assertThat(sample(target.own(), 0, 1).status()).isEqualTo(200);
        var first = indexes();
        target.put(target.own(), KEY, SampleTar.of(5, 1000, 3).bytes());
        eventually(() -> indexes().isEmpty());
        assertThat(sample(target.own(), 4, 1).body())
                .isEqualTo(SampleTar.of(5, 1000, 3).samples().get(4));
        assertThat(indexes()).hasSize(1).isNotEqualTo(first);
        target.delete(target.own(), KEY);
        eventually(() -> indexes().isEmpty());
    }

    private boolean scrubs() {
        try {
            var start = new ScrubCommand(ScrubCommand.Action.START, Optional.empty(), Optional.empty());
            return target.handlers().scrub(start).size() == 1;
        } catch (StoreException.Unavailable _) {
            return false; // the drive has not begun to serve
        }
    }

    @Test
    void aScrubRemovesWhatACrashLeft() throws IOException {
        target.put(target.own(), KEY, SHARD.bytes());
        requireSamples(target.own());
        var index = indexes().getFirst();
        target.close();
        Files.copy(index, index.resolveSibling("0000000000000000-00000000000000ff"));
        Files.write(index.resolveSibling("0000000000000000-00000000000000fe"), new byte[] {1});
        Files.write(index.resolveSibling("noVersion"), new byte[] {1});
        start();
        assertThat(indexes()).hasSize(3);
        eventually(this::scrubs);
        eventually(() -> indexes().equals(List.of(index)));
        requireSamples(target.own());
    }

    @Test
    void aColdShardIsFilledFirst() {
        target.inCloud(KEY, SHARD.bytes());
        var got = sample(target.cached(), 7, 1);
        assertThat(got.body()).isEqualTo(SHARD.samples().get(7));
        assertThat(got.header("x-cache")).isEqualTo("MISS");
        assertThat(sample(target.cached(), 8, 1).header("x-cache")).isEqualTo("HIT");
        assertThat(target.gets()).isEqualTo(1);
        requireSamples(target.cached());
    }

    @Test
    void damagedBytesMakeNoIndexAndAreNeverSent() throws IOException {
        target.put(target.own(), KEY, SHARD.bytes());
        flip(target.own());
        restart();
        assertThatThrownBy(() -> sample(target.own(), 0, 1)).isInstanceOf(StoreException.Damaged.class);
        assertThat(indexes()).isEmpty();
    }

    /// A bit of a sample in the last block of the shard.
    private void flip(Bucket bucket) throws IOException {
        var file = target.drive().resolve("objects").resolve(bucket.name()).resolve(KEY);
        var bytes = Files.readAllBytes(file);
        bytes[bytes.length - 2000] ^= 1;
        Files.write(file, bytes);
    }

    @Test
    void whatTheCloudStillHasIsFetchedAgain() throws IOException {
        target.inCloud(KEY, SHARD.bytes());
        requireSamples(target.cached());
        flip(target.cached());
        restart();
        requireSamples(target.cached());
    }

    @Test
    void samplesWaitForATargetThatIsAway() {
        target.inCloud(KEY, SHARD.bytes());
        var request = new S3Request.GetObject(
                new ObjectName("cached", KEY),
                Optional.empty(),
                Conditions.NONE,
                Optional.empty(),
                false,
                new TreeMap<>(),
                Optional.of(new ShardMember.Samples(0, 1)));
        assertThatThrownBy(() -> target.ofAway(request)).isInstanceOf(StoreException.Unavailable.class);
    }
}
