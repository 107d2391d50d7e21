package dev.sluice.backend.gcs;

import com.google.auth.Credentials;
import com.google.auth.oauth2.ServiceAccountCredentials;
import com.google.cloud.storage.Blob;
import com.google.cloud.storage.BlobId;
import com.google.cloud.storage.Storage;
import com.google.cloud.storage.Storage.BlobGetOption;
import com.google.cloud.storage.Storage.BlobSourceOption;
import dev.sluice.backend.Backend;
import dev.sluice.backend.BackendAddress;
import dev.sluice.backend.BackendBudget;
import dev.sluice.backend.BackendCalls;
import dev.sluice.backend.BackendObject;
import dev.sluice.backend.BackendPage;
import dev.sluice.backend.BackendRead;
import dev.sluice.backend.BackendSettings;
import dev.sluice.backend.BackendStream;
import dev.sluice.backend.StreamSource;
import dev.sluice.backend.WriteCondition;
import dev.sluice.backend.access.BackendConnection;
import dev.sluice.backend.access.BackendCredentials;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.s3.ByteRange;
import dev.sluice.common.s3.Tags;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.store.StoreException;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A bucket of Google Cloud Storage.
public final class GcsBackend implements Backend {
    private static final Logger LOG = LoggerFactory.getLogger(GcsBackend.class);

    /// How often a GET may be overtaken by an overwrite between its two requests.
    private static final int MOST_OVERTAKEN = 3;

    private final BackendAddress address;
    private final BackendCredentials source;
    private final Credentials credentials;
    private final GcsTransport transport;
    private final Storage client;
    private final BackendCalls calls;
    private final GcsUpload upload;
    private final GcsListing listing;
    private volatile boolean bucketSeen;

    private GcsBackend(BackendConnection connection, BackendSettings settings, MeterRegistry registry) {
        this.address = connection.address();
        this.source = connection.credentials();
        this.credentials = GcsClients.credentials(connection);
        this.transport = new GcsTransport(connection, settings);
        this.client = GcsClients.client(address, credentials, transport, settings);
        this.calls = new BackendCalls(address, settings, registry, new GcsFailures(address)::explain);
        this.upload = new GcsUpload(address, client, calls);
        this.listing = new GcsListing(address, client, calls);
    }

    public static GcsBackend open(BackendConnection connection, BackendSettings settings, MeterRegistry registry) {
        return new GcsBackend(connection, settings, registry);
    }

    @Override
    public BackendAddress address() {
        return address;
    }

    @Override
    public String identity() {
        return credentials instanceof ServiceAccountCredentials account
                ? "%s, of %s".formatted(source, account.getClientEmail())
                : source.toString();
    }

    @Override
    public boolean keepsTags() {
        return false;
    }

    @Override
    public boolean encryptsOnRequest() {
        return false;
    }

    @Override
    public Optional<Tags> tags(String key) {
        return Optional.empty();
    }

    @Override
    public double shortage() {
        return calls.shortage();
    }

    @Override
    public BackendObject head(String key) {
        return GcsObjects.object(key, find(key, Optional.empty()));
    }

    private Blob find(String key, Optional<String> version) {
        var id = id(key);
        var options = version.map(GcsBackend::generation)
                .map(generation -> new BlobGetOption[] {BlobGetOption.generationMatch(generation)})
                .orElse(new BlobGetOption[0]);
        var found = calls.run("head", key, () -> Optional.ofNullable(client.get(id, options)));
        if (found.isEmpty()) {
            checkBucket();
            throw new StoreException.NoSuchKey(key);
        }
        bucketSeen = true;
        var blob = found.get();
        if (version.isPresent() && !version.get().equals(String.valueOf(blob.getGeneration()))) {
            throw new StoreException.PreconditionFailed("version of " + key);
        }
        return blob;
    }

    /// A missing object and a missing bucket look the same to the client. Asked by a listing, since who may read the
    /// objects often may not ask for the bucket.
    private void checkBucket() {
        if (!bucketSeen) {
            try {
                listing.list("", "", "", 1);
                bucketSeen = true;
            } catch (StoreException.BackendDenied denied) {
                LOG.debug("cannot tell whether {} exists", address, denied);
            }
        }
    }

    /// Two requests, since the answer with the bytes lacks half of the attributes; the second one asks for the
    /// generation that the first one found.
    @Override
    public BackendStream get(String key, BackendRead read) {
        for (int attempt = 1; ; attempt++) {
            var found = find(key, read.ifVersion());
            try {
                return get(key, found, read);
            } catch (StoreException.NoSuchKey gone) { // overwritten since: the generation found is there no more
                if (read.ifVersion().isPresent()) {
                    throw new StoreException.PreconditionFailed("version of " + key);
                }
                if (attempt == MOST_OVERTAKEN) {
                    throw new StoreException.BackendUnavailable(key + " changes faster than it can be read", gone);
                }
            }
        }
    }

    private BackendStream get(String key, Blob blob, BackendRead read) {
        long size = GcsObjects.size(blob);
        var range = read.range().map(wanted -> wanted.resolve(size)).orElse(new ByteRange.Resolved(0, size));
        var object = GcsObjects.object(key, blob);
        if (range.length() == 0) {
            return new BackendStream(object, 0, 0, ByteSource.empty());
        }
        return calls.open("get", key, lease -> stream(blob, object, range, lease));
    }

    private BackendStream stream(Blob blob, BackendObject object, ByteRange.Resolved range, BackendBudget.Lease lease) {
        var reader = client.reader(blob.getBlobId(), BlobSourceOption.shouldReturnRawInputStream(true));
        try {
            reader.setChunkSize(0); // no buffer between the connection and us
            reader.seek(range.offset());
            var bounded = reader.limit(range.offset() + range.length());
            var body = new StreamSource(Channels.newInputStream(bounded), range.length(), calls::received, _ -> {
                try {
                    bounded.close();
                } finally {
                    lease.release();
                }
            });
            return new BackendStream(object, range.offset(), range.length(), new OpenedSource(body));
        } catch (IOException e) {
            reader.close();
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            reader.close();
            throw e;
        }
    }

    @Override
    public BackendObject put(
            String key, long length, ByteSource body, WriteAttributes attributes, WriteCondition condition) {
        var written = upload.put(key, length, body, attributes, condition);
        bucketSeen = true;
        return written;
    }

    @Override
    public void delete(String key) {
        boolean deleted = calls.run("delete", key, () -> client.delete(id(key)));
        if (!deleted) {
            checkBucket();
        }
    }

    @Override
    public BackendPage list(String prefix, String delimiter, String after, int max) {
        var page = listing.list(prefix, delimiter, after, max);
        bucketSeen = true;
        return page;
    }

    @Override
    public void close() {
        try {
            client.close();
        } catch (Exception e) {
            LOG.warn("closing the client of {} failed", address, e);
        }
        transport.shutdown();
    }

    private BlobId id(String key) {
        return BlobId.of(address.bucket(), address.prefix() + key);
    }

    static long generation(String version) {
        try {
            return Long.parseLong(version);
        } catch (NumberFormatException e) { // no object of GCS ever had such a version
            throw new StoreException.PreconditionFailed("version " + version);
        }
    }
}
