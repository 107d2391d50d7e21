package dev.sluice.targetnode.replica.slices;

import dev.sluice.common.cluster.slots.SlotRow;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.replica.loop.DriveReplicas;
import dev.sluice.targetnode.replica.peers.ReceivedContent;
import dev.sluice.targetnode.replica.peers.ReplicaParts;
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
import java.util.List;
import java.util.Optional;

/// What the members of an object's slot have of one version, on drives of this target and of others.
public final class SliceSources {
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
    /// @return with nothing when the drive has no slice of this version
    /// @throws IOException also when a record of another object comes
    /// @throws StoreException when the drive does not answer
    ReceivedContent open(Candidate from, long offset, long to) throws IOException {
        var content = from.here() ? here(from, offset, to) : away(from, offset, to);
        if (content.found().filter(record -> !isIts(record)).isPresent()) {
            content.close();
            throw new IOException("drive %s gave another object".formatted(from.drive()));
        }
        return content;
    }

    private boolean isIts(ObjectRecord record) {
        return record.bucketId() == name.bucketId()
                && record.key().equals(name.key())
                && record.version().equals(version)
                && record.slice().isPresent();
    }

    private ReceivedContent away(Candidate from, long offset, long to) throws IOException {
        var known = parts.applied().get().orElseThrow();
        var owner = known.owner(from.drive())
                .filter(_ -> known.state().replication().usable(from.drive()))
                .orElseThrow(() -> new StoreException.Unavailable("the target of drive " + from.drive() + " is down"));
        var query = "slice=%d-%d&drive=%s&bucket=%d&key=%s&from=%d&to=%d"
                .formatted(
                        version.epoch(),
                        version.sequence(),
                        from.drive(),
                        name.bucketId(),
                        URLEncoder.encode(name.key(), StandardCharsets.UTF_8),
                        offset,
                        to);
        return ReceivedContent.of(parts.targets().content(PeerAddress.of(owner), query));
    }

    private ReceivedContent here(Candidate from, long offset, long to) {
        var drive = parts.loops()
                .apply(from.drive())
                .map(DriveReplicas::drive)
                .orElseThrow(() -> new StoreException.Unavailable("drive " + from.drive() + " is not here"));
        Optional<PreparedObject> found;
        try (var _ = parts.store().publishing().lock(name)) {
            found = PreparedObject.ofVersion(drive, bucket, name, version);
        }
        return found.map(object -> switch (object) {
                    case PreparedObject.InFile(var record, var file) ->
                        new ReceivedContent(
                                Optional.of(record),
                                new FileStream(drive, file, offset, Math.min(to, record.fileSize())));
                    case PreparedObject.InMemory(var record, var bytes) ->
                        new ReceivedContent(Optional.of(record), rest(bytes, offset));
                })
                .orElseGet(() -> new ReceivedContent(Optional.empty(), InputStream.nullInputStream()));
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
            try (var content = open(from, 0, 0)) {
                if (content.found().isPresent()) {
                    return content.found();
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
