package dev.sluice.targetnode.admin;

import static dev.sluice.testing.Bytes.random;
import static dev.sluice.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.backend.memory.Faults;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.peer.DriveScrub;
import dev.sluice.common.peer.ScrubCommand;
import dev.sluice.common.peer.ScrubFinding;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.coldfill.TargetFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What a scrub does about damage, by whether a cloud has the object too.
@Timeout(60)
class ScrubRepairTest {
    private static final byte[] SHARD = random(1, 3_000_000);

    @TempDir
    private Path folder;

    private TargetFixture target;

    @BeforeEach
    void open() throws IOException {
        target = new TargetFixture(folder);
    }

    @AfterEach
    void close() {
        target.close();
    }

    private Path damage(Bucket bucket) throws IOException {
        var file = target.drive().resolve("objects/%s/a".formatted(bucket.name()));
        var bad = SHARD.clone();
        bad[2_500_000] ^= 1;
        Files.write(file, bad);
        return file;
    }

    private List<ScrubFinding> scrub() {
        eventually(() -> status().state() == DriveScrub.State.IDLE);
        target.handlers().scrub(new ScrubCommand(ScrubCommand.Action.START, Optional.empty(), Optional.empty()));
        eventually(() -> status().state() == DriveScrub.State.IDLE);
        return status().latest();
    }

    private DriveScrub status() {
        return target.handlers().scrub(ScrubCommand.STATUS).getFirst();
    }

    private void fill() {
        target.inCloud("a", SHARD);
        assertThat(target.get(target.cached(), "a").body()).isEqualTo(SHARD);
        target.awaitFills();
    }

    @Test
    void aDamagedCopyOfWhatTheCloudHasIsDroppedAndFetchedAgain() throws IOException {
        fill();
        var file = damage(target.cached());
        assertThat(scrub())
                .singleElement()
                .satisfies(found -> assertThat(found.action()).isEqualTo(ScrubFinding.Action.DROPPED));
        assertThat(file).doesNotExist();
        assertThat(target.get(target.cached(), "a").body()).isEqualTo(SHARD);
        target.awaitFills();
        assertThat(file).hasBinaryContent(SHARD);
        assertThat(target.gets()).isEqualTo(2);
        assertThat(scrub()).isEmpty();
    }

    @Test
    void whileTheCloudDoesNotAnswerTheCopyStays() throws IOException {
        fill();
        var file = damage(target.cached());
        target.cloud().memory().faults(Faults.NONE.unavailable(true));
        assertThat(scrub()).singleElement().satisfies(found -> {
            assertThat(found.action()).isEqualTo(ScrubFinding.Action.KEPT);
            assertThat(found.why()).contains("not repaired yet");
        });
        assertThat(file).exists();
        target.cloud().memory().faults(Faults.NONE);
        assertThat(scrub())
                .singleElement()
                .satisfies(found -> assertThat(found.action()).isEqualTo(ScrubFinding.Action.DROPPED));
    }

    @Test
    void theOnlyCopyIsNeverDropped() throws IOException {
        fill();
        target.cloud().memory().delete("a");
        target.put(target.own(), "a", SHARD);
        for (var bucket : List.of(target.own(), target.cached())) {
            var file = damage(bucket);
            assertThat(scrub().stream().filter(found -> found.bucket().equals(bucket.name())))
                    .singleElement()
                    .satisfies(found -> assertThat(found.action()).isEqualTo(ScrubFinding.Action.MARKED));
            assertThat(file).exists();
        }
        assertThatThrownBy(() -> target.get(target.own(), "a")).isInstanceOf(StoreException.Damaged.class);
    }

    @Test
    void aMissingCopyIsForgottenAndFetchedAgain() throws IOException {
        fill();
        Files.delete(target.drive().resolve("objects/cached/a"));
        assertThat(scrub()).hasSize(1);
        assertThat(target.stored(target.cached(), "a")).isFalse();
        assertThat(target.get(target.cached(), "a").body()).isEqualTo(SHARD);
        target.awaitFills();
    }
}
