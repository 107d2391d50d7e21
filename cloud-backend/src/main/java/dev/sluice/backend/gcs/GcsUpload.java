package dev.sluice.backend.gcs;

import com.google.cloud.storage.BlobId;
import com.google.cloud.storage.BlobInfo;
import com.google.cloud.storage.BlobWriteSession;
import com.google.cloud.storage.Storage;
import com.google.cloud.storage.Storage.BlobWriteOption;
import com.google.cloud.storage.StorageException;
import dev.sluice.backend.BackendAddress;
import dev.sluice.backend.BackendCalls;
import dev.sluice.backend.BackendChecks;
import dev.sluice.backend.BackendObject;
import dev.sluice.backend.SourceStream;
import dev.sluice.backend.WriteCondition;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.concurrent.ExecutionException;

/// Writing to GCS by a resumable upload, chunk by chunk.
final class GcsUpload {
    private static final int READ = 128 << 10;

    private final BackendAddress address;
    private final Storage client;
    private final BackendCalls calls;

    GcsUpload(BackendAddress address, Storage client, BackendCalls calls) {
        this.address = address;
        this.client = client;
        this.calls = calls;
    }

    BackendObject put(
            String key, long length, ByteSource source, WriteAttributes attributes, WriteCondition condition) {
        try (source) {
            if (length < 0) {
                throw new StoreException.InvalidArgument("a backend is written with a known length only");
            }
            var body = new SourceStream(checked(source, attributes));
            body.part(length);
            var info = GcsObjects.info(BlobId.of(address.bucket(), address.prefix() + key), attributes);
            var options = options(attributes, condition);
            var written = calls.run("put", key, () -> !body.begun(), () -> {
                try {
                    return send(client.blobWriteSession(info, options), body, length);
                } catch (RuntimeException e) {
                    throw missingBucket(body.explain(e));
                }
            });
            calls.sent(length);
            return GcsObjects.object(key, written);
        }
    }

    /// Compared here too, before the object is made: GCS knows neither all of these checksums nor tells which one
    /// failed, and of an MD5 only afterwards.
    private static ByteSource checked(ByteSource source, WriteAttributes attributes) {
        var checked = source;
        for (var promise : attributes.checksums().entrySet()) {
            checked =
                    new BackendChecks.Checksum(promise.getKey(), promise.getValue()).verifying(checked, Runnable::run);
        }
        if (attributes.contentMd5().isPresent()) {
            checked = new BackendChecks.Md5(attributes.contentMd5().get()).verifying(checked, Runnable::run);
        }
        return checked;
    }

    /// The channel is closed only after the last byte: closing it is what makes the object, also out of half a body.
    /// One that is left open is dropped by GCS, and holds no connection here between its chunks.
    private static BlobInfo send(BlobWriteSession session, SourceStream body, long length) {
        try {
            var channel = session.open();
            var chunk = new byte[(int) Math.min(READ, Math.max(1, length))];
            for (int got = body.read(chunk); got >= 0; got = body.read(chunk)) {
                var bytes = ByteBuffer.wrap(chunk, 0, got);
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
            }
            body.end();
            channel.close();
            return session.getResult().get();
        } catch (IOException e) {
            throw StorageException.translate(e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException.BackendUnavailable("interrupted while writing", e);
        }
    }

    private RuntimeException missingBucket(RuntimeException thrown) {
        return thrown instanceof StorageException answer && answer.getCode() == 404
                ? new StoreException.NoSuchBucket(address.toString())
                : thrown;
    }

    private static BlobWriteOption[] options(WriteAttributes attributes, WriteCondition condition) {
        var options = new ArrayList<BlobWriteOption>();
        if (attributes.checksums().containsKey(ChecksumAlgorithm.CRC32C)) {
            options.add(BlobWriteOption.crc32cMatch());
        }
        switch (condition) {
            case WriteCondition.Always _ -> {}
            case WriteCondition.IfAbsent _ -> options.add(BlobWriteOption.doesNotExist());
            case WriteCondition.IfVersion(var version) ->
                options.add(BlobWriteOption.generationMatch(GcsBackend.generation(version)));
        }
        return options.toArray(BlobWriteOption[]::new);
    }
}
