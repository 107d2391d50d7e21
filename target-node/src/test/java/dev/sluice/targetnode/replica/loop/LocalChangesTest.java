package dev.sluice.targetnode.replica.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.checksum.BlockSummer;
import dev.sluice.common.checksum.BlockSums;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.coldfill.TargetFixture;
import dev.sluice.targetnode.replica.core.Action;
import dev.sluice.targetnode.replica.core.Learning;
import dev.sluice.targetnode.replica.core.OpenIntent;
import dev.sluice.targetnode.replica.core.SlotCore;
import dev.sluice.targetnode.replica.membership.FollowedStates;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.Found;
import dev.sluice.targetnode.storage.drive.Layout;
import dev.sluice.targetnode.storage.drive.Prepared;
import dev.sluice.targetnode.storage.index.IndexBatch;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import dev.sluice.targetnode.storage.slots.Lookup;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What a core orders, on a real drive. The loop has no thread: what is posted to it stays.
@Timeout(60)
class LocalChangesTest {
    private static final int GROUP = 1;
    private static final int SLOT = 7;
    private static final Learning LEARNING = new Learning(4, 5, 2);
    private static final ObjectVersion OLD = new ObjectVersion(3, 1);
    private static final ObjectVersion VERSION = new ObjectVersion(4, 2);
    private static final ObjectVersion NEXT = new ObjectVersion(5, 3);

    @TempDir
    private Path folder;

    private final Staging staging = new Staging();
    private final List<LocalChanges.Failure> failures = Collections.synchronizedList(new ArrayList<>());
    private TargetFixture target;
    private BucketRef bucket;
    private ObjectKey key;
    private Drive drive;
    private DriveReplicas loop;
    private LocalReplica replica;
    private LocalChanges changes;

    @BeforeEach
    void start() throws IOException {
        target = new TargetFixture(folder);
        bucket = BucketRefs.of(target.own());
        key = new ObjectKey(bucket.id(), "k");
        drive = target.store().drives().slots().getFirst().writable().orElseThrow();
        var lease = new Lease(() -> 0);
        lease.applied(1);
        lease.promised(0, 1);
        var pages = new SlotPages(drive, new OneGroup(FollowedStates.GROUP));
        loop = new DriveReplicas(drive, 2, lease, pages, () -> 1, (_, _) -> {}, _ -> {});
        replica = new LocalReplica(loop, GROUP, SLOT, new SlotCore(drive.id(), 2));
        var known = new LocalChanges.KnownBucket(bucket, true);
        changes = new LocalChanges(
                target.store(),
                staging,
                _ -> Optional.of(known),
                failures::add,
                Executors.newVirtualThreadPerTaskExecutor());
    }

    @AfterEach
    void stop() {
        loop.close();
        target.close();
    }

    /// All are ordered before the first has ended.
    private void carryOut(Action.Local... actions) throws Exception {
        for (var action : actions) {
            slice(action).ifPresent(slice -> staging.put(loop, slice, bytes(slice.version())));
            changes.begin(replica, action);
        }
        replica.changes().get(30, TimeUnit.SECONDS);
        assertThat(loop.leased()).as("the drive takes part").isTrue();
        assertThat(failures).isEmpty();
    }

    /// Of an object that it stores.
    private static Optional<Slice> slice(Action.Local action) {
        return switch (action) {
            case Action.StoreIntent(var intent) when !intent.delete() -> Optional.of(intent.slice());
            case Action.StorePulled pulled -> Optional.of(pulled.slice());
            default -> Optional.empty();
        };
    }

    private Staging.Bytes bytes(ObjectVersion version) {
        var content = version.id().getBytes(StandardCharsets.UTF_8);
        var work = Layout.work(target.store().versions().next());
        return new Staging.Bytes() {
            @Override
            public Prepared prepared() {
                return Prepared.smallPut(bucket, work, record(version, content), content, new IndexBatch())
                        .orElseThrow();
            }

            @Override
            public void drop() {}

            @Override
            public void undo() {
                throw new StoreException.Unavailable("it was refused");
            }
        };
    }

    private ObjectRecord record(ObjectVersion version, byte[] content) {
        var summer = new BlockSummer();
        summer.update(0, ByteBuffer.wrap(content));
        return new ObjectRecord(
                key.bucketId(),
                key.key(),
                version,
                content.length,
                1,
                2,
                "etag",
                Map.of(),
                new TreeMap<>(),
                new TreeMap<>(),
                Optional.empty(),
                Optional.empty(),
                summer.finish(content.length),
                Optional.empty(),
                BlockSums.of());
    }

    private Action.Local store(ObjectVersion version) {
        return new Action.StoreIntent(new OpenIntent(key, version, false, 0));
    }

    private Action.Local delete(ObjectVersion version) {
        return new Action.StoreIntent(new OpenIntent(key, version, true, 0));
    }

    private Action.Local settle(ObjectVersion version, boolean commit, boolean sync) {
        return new Action.Settle(key, version, commit, sync, Optional.empty());
    }

    private Action.Local pulled(ObjectVersion version) {
        return new Action.StorePulled(LEARNING, key, new Slice(version, 0));
    }

    private Optional<ObjectVersion> open() {
        return drive.openIntent(key.bucketId(), key.key()).map(intent -> intent.version());
    }

    /// Empty without a whole object.
    private Optional<ObjectVersion> row() {
        return drive.call(() -> switch (drive.store().find(bucket, key.key())) {
            case Found.Absent() -> Optional.empty();
            case Found.Damaged(var why) -> throw new StoreException.Damaged(why);
            case Found.Present(var record, var file) -> {
                file.close();
                yield Optional.of(record.version());
            }
        });
    }

    @Test
    void preparedWritesAreCommittedAndAborted() throws Exception {
        carryOut(store(OLD), store(OLD), settle(OLD, true, false), store(VERSION));
        assertThat(row()).contains(OLD);
        assertThat(open()).contains(VERSION);
        carryOut(settle(VERSION, false, true), settle(VERSION, false, true), delete(NEXT));
        assertThat(row()).contains(OLD);
        assertThat(open()).contains(NEXT);
        carryOut(settle(NEXT, true, true), new Action.SyncSlot(LEARNING));
        assertThat(row()).isEmpty();
        assertThat(open()).isEmpty();
    }

    @Test
    void pulledRowReplacesAnyAndLeavesAnotherIntentOpen() throws Exception {
        carryOut(store(VERSION), settle(VERSION, true, false), store(NEXT), pulled(OLD));
        assertThat(row()).contains(OLD);
        assertThat(open()).contains(NEXT);
        carryOut(settle(NEXT, true, false), new Action.DeleteRow(key, OLD));
        assertThat(row()).as("what came since stays").contains(NEXT);
        carryOut(new Action.DeleteRow(key, NEXT));
        assertThat(row()).isEmpty();
    }

    /// The source has committed it, and the message that says so is lost or late.
    @Test
    void pulledRowOfTheOpenIntentsVersionCommitsIt() throws Exception {
        carryOut(store(VERSION), pulled(VERSION));
        assertThat(row()).contains(VERSION);
        assertThat(open()).isEmpty();
        carryOut(settle(VERSION, true, true), store(NEXT), settle(NEXT, true, false));
        assertThat(row()).contains(NEXT);
    }

    /// Nobody knows what it has changed.
    @Test
    void objectIsNotHotAfterAChangeOfItsKeyFailed() throws Exception {
        carryOut(pulled(OLD));
        try (var object = ((Lookup.Hit) target.store().lookup(bucket, key.key())).object()) {
            assertThat(object.record().version()).isEqualTo(OLD);
        }
        assertThat(target.store().hotSet().objects()).isEqualTo(1);
        changes.begin(replica, pulled(VERSION)); // without its bytes
        replica.changes().get(30, TimeUnit.SECONDS);
        assertThat(row()).contains(OLD);
        assertThat(target.store().hotSet().objects()).isZero();
    }

    @Test
    void pulledRowMayFollowOneOfTheSameVersion() throws Exception {
        carryOut(pulled(VERSION), pulled(VERSION), new Action.DeleteRow(key, VERSION), pulled(VERSION), pulled(OLD));
        assertThat(row()).contains(OLD);
        assertThat(open()).isEmpty();
    }
}
