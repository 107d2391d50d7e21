package dev.sluice.targetnode.replica.slices;

import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.peer.SteadyBody;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.loop.DriveReplicas;
import dev.sluice.targetnode.replica.peers.ReceivedContent;
import dev.sluice.targetnode.replica.peers.ReplicaParts;
import dev.sluice.targetnode.replica.peers.ReplicaPeers;
import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.drive.PreparedObject;
import dev.sluice.targetnode.storage.record.BucketRef;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/// What the members of an object's slot have of one version, on drives of this target and of others.
public final class SliceSources {
    /// How a drive is asked.
    ///
    /// @param last whether others are not asked after it
    /// @param careful whether bytes come also where they are not what was written; else they break off there
    /// @param firstByte how long another target may take until its bytes begin to come
    /// @param next how long until the next ones come
    record Asking(boolean last, boolean careful, Duration firstByte, Duration next) {
        /// Where others may have what is wanted.
        static final Asking FIRST = new Asking(false, false, Duration.ofSeconds(1), Duration.ofSeconds(1));

        /// Where nobody else has.
        static final Asking LAST = new Asking(true, true, Duration.ofSeconds(10), Duration.ofSeconds(5));

        Asking carefully() {
            return new Asking(last, true, firstByte, next);
        }
    }

    private final ReplicaParts parts;
    private final BucketRef bucket;
    private final ObjectKey name;
    private final ObjectVersion version;
    private final Runnable whenDamaged;

    /// @param whenDamaged run when a drive of this target gives other bytes than were written; must not block
    public SliceSources(
            ReplicaParts parts, BucketRef bucket, ObjectKey name, ObjectVersion version, Runnable whenDamaged) {
        this.parts = parts;
        this.bucket = bucket;
        this.name = name;
        this.version = version;
        this.whenDamaged = whenDamaged;
    }

    /// A drive that may have a slice.
    ///
    /// @param position which it is to have; perhaps it has another one yet
    /// @param here whether it is one of this target
    record Candidate(String drive, int position, boolean here) {}

    /// The members of its slot, learners too.
    List<Candidate> candidates() {
        var known = parts.applied().get().orElseThrow();
        return known.groupOf(name.bucketId())
                .flatMap(group -> known.row(group.id(), group.slotOf(name.bucketId(), name.key())))
                .map(this::candidates)
                .orElse(List.of());
    }

    private List<Candidate> candidates(SlotRow row) {
        return row.members().stream()
                .map(member -> new Candidate(
                        member.drive(),
                        member.position(),
                        parts.loops().apply(member.drive()).isPresent()))
                .toList();
    }

    /// Opens the slice that a drive has, to be read from an offset on. Blocks.
    ///
    /// @param to where the bytes end that are wanted
    /// @throws IOException when the drive's target refuses
    /// @throws StoreException when it does not answer
    OpenSlice open(Candidate from, long offset, long to, Asking asking) throws IOException {
        if (from.here()) {
            return here(from).map(held -> open(from, held, offset, to)).orElse(OpenSlice.NONE);
        }
        var content = away(
                from,
                "slice",
                "&from=%d&to=%d%s".formatted(offset, to, asking.careful ? "&careful=1" : ""),
                asking.firstByte);
        return new OpenSlice(content.position(), new SteadyBody(content.body(), asking.next));
    }

    /// The same on a thread of its own.
    CompletableFuture<OpenSlice> opening(Candidate from, long offset, long to, Asking asking) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return open(from, offset, to, asking);
                    } catch (IOException failure) {
                        throw new CompletionException(failure);
                    }
                },
                parts.threads());
    }

    private OpenSlice open(Candidate from, PreparedObject held, long offset, long to) {
        var record = held.record();
        var body = switch (held) {
            case PreparedObject.InFile(var _, var file) ->
                new FileStream(drive(from), file, offset, Math.min(to, record.fileSize()));
            case PreparedObject.InMemory(var _, var bytes) -> rest(bytes, offset);
        };
        return new OpenSlice(record.position(), body);
    }

    private ReplicaPeers.Content away(Candidate from, String what, String more, Duration firstByte) throws IOException {
        var known = parts.applied().get().orElseThrow();
        var owner = known.owner(from.drive())
                .filter(_ -> known.state().replication().usable(from.drive()))
                .orElseThrow(() -> new StoreException.Unavailable("the target of drive " + from.drive() + " is down"));
        var query = "%s=%d-%d&drive=%s&bucket=%d&key=%s%s"
                .formatted(
                        what,
                        version.epoch(),
                        version.sequence(),
                        from.drive(),
                        name.bucketId(),
                        URLEncoder.encode(name.key(), StandardCharsets.UTF_8),
                        more);
        return parts.targets().content(PeerAddress.of(owner), query, firstByte);
    }

    private Drive drive(Candidate from) {
        return parts.loops()
                .apply(from.drive())
                .map(DriveReplicas::drive)
                .orElseThrow(() -> new StoreException.Unavailable("drive " + from.drive() + " is not here"));
    }

    private Optional<PreparedObject> here(Candidate from) {
        try (var _ = parts.store().publishing().lock(name)) {
            return PreparedObject.ofVersion(drive(from), bucket, name, version);
        }
    }

    /// Of whichever slice a drive has.
    private Optional<ObjectRecord> record(Candidate from) throws IOException {
        Optional<ObjectRecord> found;
        if (from.here()) {
            found = here(from).map(held -> held.onlyRecord(drive(from)));
        } else {
            try (var content = ReceivedContent.of(away(from, "recorded", "", Asking.LAST.firstByte))) {
                found = content.found();
            }
        }
        if (found.filter(record -> !isIts(record)).isPresent()) {
            throw new IOException("drive %s gave another object".formatted(from.drive()));
        }
        return found;
    }

    private boolean isIts(ObjectRecord record) {
        return record.bucketId() == name.bucketId()
                && record.key().equals(name.key())
                && record.version().equals(version)
                && record.slice().isPresent();
    }

    private static InputStream rest(byte[] bytes, long offset) {
        int from = (int) Math.min(bytes.length, offset);
        return new ByteArrayInputStream(bytes, from, bytes.length - from);
    }

    /// The record of the slice that a member is to have, from whoever has some of this version. Blocks.
    ///
    /// @throws StoreException.Damaged when all have answered, and none has it
    /// @throws StoreException.Unavailable when some do not answer, or the drive is no member
    public ObjectRecord recordFor(String drive) {
        var member = candidates().stream()
                .filter(each -> each.drive().equals(drive))
                .findFirst()
                .orElseThrow(() -> new StoreException.Unavailable("drive " + drive + " is not a member"));
        return record().map(record -> record.at(member.position()))
                .orElseThrow(() -> new StoreException.Damaged("no member has a record of '%s'".formatted(name.key())));
    }

    /// The slice that a member is to have, to be closed by the receiver. Throws as [#recordFor].
    public SliceStream sliceFor(String drive) {
        return new SliceStream(this, recordFor(drive));
    }

    private Optional<ObjectRecord> record() {
        Optional<String> silent = Optional.empty();
        for (var from : candidates()) {
            try {
                var found = record(from);
                if (found.isPresent()) {
                    return found;
                }
            } catch (IOException | StoreException failure) {
                silent = Optional.of("drive %s: %s".formatted(from.drive(), failure.getMessage()));
            }
        }
        if (silent.isPresent()) {
            throw new StoreException.Unavailable(
                    "no record of '%s' is readable now: %s; try again".formatted(name.key(), silent.get()));
        }
        return Optional.empty();
    }

    @Override
    public String toString() {
        return "'%s' of version %s".formatted(name.key(), version.id());
    }

    /// A drive gave other bytes than were written.
    void damaged(Candidate from) {
        if (from.here()) {
            whenDamaged.run(); // another target finds it itself
        }
    }
}
