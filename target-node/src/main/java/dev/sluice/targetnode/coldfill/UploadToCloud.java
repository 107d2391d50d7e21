package dev.sluice.targetnode.coldfill;

import dev.sluice.backend.Backend;
import dev.sluice.backend.BackendObject;
import dev.sluice.backend.WriteCondition;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.Encryption;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.multipart.CompletedParts;
import dev.sluice.targetnode.storage.multipart.Multipart;
import dev.sluice.targetnode.storage.multipart.PartsSource;
import dev.sluice.targetnode.storage.record.Part;
import dev.sluice.targetnode.storage.record.UploadState;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Writes the object of a multipart upload to the cloud. A Complete that is repeated because the cloud's answer was
/// lost, or because the target crashed, does not write it over what another client wrote since.
///
/// Before the cloud is written, the upload is marked, durably, with the version that the cloud has of the key. A
/// Complete of an upload that bears the mark asks the cloud. Where it has that version still, nothing was written: the
/// object is written now, on the condition that this stays so. Where it has another one, or none, the object was
/// written before, and perhaps replaced since.
///
/// A Complete that names an ETag, or wants to be the first, is judged by what the cloud has, with a mark or without.
final class UploadToCloud {
    private final Backend backend;
    private final Multipart uploads;
    private final UploadState upload;
    private final List<Part> parts;
    private final Fills.Write write;
    private final Runnable forget;

    /// @param upload as it is while no other write of its key is under way
    /// @param forget drops the cached object, durably
    UploadToCloud(
            Backend backend,
            Multipart uploads,
            UploadState upload,
            List<Part> parts,
            Fills.Write write,
            Runnable forget) {
        this.backend = backend;
        this.uploads = uploads;
        this.upload = upload;
        this.parts = parts;
        this.write = write;
        this.forget = forget;
    }

    /// @return the ETag of what the cloud has then
    String write(Conditions conditions) {
        var now = WriteThrough.present(backend, upload.key());
        conditions.checkWrite(now.map(BackendObject::etag), upload.key());
        var before = upload.completing().filter(_ -> acceptsAny(conditions));
        if (before.isPresent() && isReplaced(before.get().replaces(), now)) {
            return written(now);
        }
        var replaces = now.map(BackendObject::version);
        if (before.isEmpty()) {
            mark(Optional.of(new UploadState.Completing(replaces)));
        }
        forget.run();
        try {
            return put(
                    before.isPresent() || !conditions.none() ? WriteThrough.unchanged(replaces) : WriteCondition.NONE);
        } catch (StoreException.PreconditionFailed | StoreException.NoSuchKey refused) {
            // a request that was repeated after it had been carried out gets this answer, too
            return writtenNevertheless(conditions, replaces).orElseThrow(() -> given(refused));
        } catch (StoreException.BackendUnavailable unknown) {
            throw unknown;
        } catch (StoreException refused) {
            throw given(refused);
        }
    }

    /// Whatever the cloud has may be replaced.
    private static boolean acceptsAny(Conditions conditions) {
        return conditions.none() || conditions.ifMatch().equals(Optional.of("*"));
    }

    private static boolean isReplaced(Optional<String> version, Optional<BackendObject> now) {
        return !now.map(BackendObject::version).equals(version);
    }

    private String put(WriteCondition condition) {
        long size = parts.stream().mapToLong(Part::size).sum();
        var attributes = new WriteAttributes(
                Encryption.without(upload.headers()),
                upload.userMetadata(),
                Optional.empty(),
                Map.of(),
                Optional.empty(),
                upload.headers().containsKey(Encryption.HEADER));
        var source = new PartsSource(uploads, upload, parts);
        return write.toCloud(() -> backend.put(upload.key(), size, source, attributes, condition))
                .etag();
    }

    private Optional<String> writtenNevertheless(Conditions conditions, Optional<String> replaces) {
        if (!acceptsAny(conditions)) {
            return Optional.empty();
        }
        var now = WriteThrough.present(backend, upload.key());
        return isReplaced(replaces, now) ? Optional.of(written(now)) : Optional.empty();
    }

    /// A copy that was fetched meanwhile may be older.
    private String written(Optional<BackendObject> now) {
        forget.run();
        return now.map(BackendObject::etag).orElseGet(() -> CompletedParts.etag(parts));
    }

    /// A write that did not happen leaves no mark: another one must not be taken for it.
    private StoreException given(StoreException refused) {
        try {
            mark(Optional.empty());
        } catch (StoreException failure) {
            refused.addSuppressed(failure);
        }
        return refused;
    }

    private void mark(Optional<UploadState.Completing> completing) {
        uploads.mark(upload.bucket(), upload.key(), upload.uploadId(), completing);
    }
}
