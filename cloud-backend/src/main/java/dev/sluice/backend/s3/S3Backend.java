package dev.sluice.backend.s3;

import dev.sluice.backend.Backend;
import dev.sluice.backend.BackendAddress;
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
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.GetObjectTaggingResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;

/// A bucket of S3, or of anything that speaks it.
public final class S3Backend implements Backend {
    private static final String CHECKSUM_MODE = "x-amz-checksum-mode";

    /// To who may not read tags, and by what has none.
    private static final Set<Integer> SHOWS_NO_TAGS = Set.of(400, 401, 403, 405, 501);

    private static final Logger LOG = LoggerFactory.getLogger(S3Backend.class);

    private final BackendAddress address;
    private final BackendCredentials credentials;
    private final AwsCredentialsProvider identities;
    private final S3Client client;
    private final BackendCalls calls;
    private final S3Upload upload;
    private final S3Listing listing;
    private volatile boolean bucketSeen; // so that a HEAD's bare 404 needs no second request to be understood

    private S3Backend(BackendConnection connection, BackendSettings settings, MeterRegistry registry) {
        this.address = connection.address();
        this.credentials = connection.credentials();
        this.identities = S3Clients.credentials(credentials);
        this.client = S3Clients.client(connection, identities, settings);
        this.calls = new BackendCalls(address, settings, registry, new S3Failures(connection)::explain);
        this.upload = new S3Upload(address, settings, client, calls);
        this.listing = new S3Listing(address, client, calls);
    }

    public static S3Backend open(BackendConnection connection, BackendSettings settings, MeterRegistry registry) {
        return new S3Backend(connection, settings, registry);
    }

    @Override
    public BackendAddress address() {
        return address;
    }

    @Override
    public String identity() {
        return switch (credentials) {
            case BackendCredentials.Profile _, BackendCredentials.DefaultChain _ -> {
                try {
                    var key = identities.resolveCredentials().accessKeyId();
                    yield "%s, access key %s".formatted(credentials, key);
                } catch (SdkClientException none) {
                    yield "%s, of which there are none".formatted(credentials);
                }
            }
            default -> credentials.toString();
        };
    }

    @Override
    public double shortage() {
        return calls.shortage();
    }

    @Override
    public BackendObject head(String key) {
        try {
            var found = calls.run(
                    "head",
                    key,
                    () -> client.headObject(request -> request.bucket(address.bucket())
                            .key(address.prefix() + key)
                            .overrideConfiguration(override -> override.putHeader(CHECKSUM_MODE, "ENABLED"))));
            bucketSeen = true;
            return S3Objects.object(key, found.sdkHttpResponse());
        } catch (StoreException.NoSuchKey missing) {
            checkBucket();
            throw missing;
        }
    }

    /// A 404 without a body does not say what is missing.
    private void checkBucket() {
        if (!bucketSeen) {
            try {
                calls.run("head", "", () -> client.headBucket(request -> request.bucket(address.bucket())));
                bucketSeen = true;
            } catch (StoreException.NoSuchKey _) {
                throw new StoreException.NoSuchBucket(address.toString());
            } catch (StoreException.BackendDenied denied) { // who may read objects often may not ask for the bucket
                LOG.debug("cannot tell whether {} exists", address, denied);
            }
        }
    }

    @Override
    public BackendStream get(String key, BackendRead read) {
        // The header by hand, not checksumMode(): that one makes the SDK verify the bytes, which is done elsewhere.
        var request = GetObjectRequest.builder()
                .bucket(address.bucket())
                .key(address.prefix() + key)
                .overrideConfiguration(override -> override.putHeader(CHECKSUM_MODE, "ENABLED"));
        read.range().ifPresent(range -> request.range(header(range)));
        read.ifVersion().ifPresent(version -> request.ifMatch(S3Objects.quoted(version)));
        var wanted = request.build();
        var stream = calls.open("get", key, lease -> {
            var answer = client.getObject(wanted);
            return stream(key, answer, lease::release);
        });
        bucketSeen = true;
        return stream;
    }

    private BackendStream stream(String key, ResponseInputStream<GetObjectResponse> answer, Runnable release) {
        try {
            var response = answer.response().sdkHttpResponse();
            var extent = S3Objects.extent(response);
            var body = new StreamSource(answer, extent.length(), calls::received, clean -> {
                try {
                    end(answer, clean);
                } finally {
                    release.run();
                }
            });
            return new BackendStream(S3Objects.object(key, response), extent.offset(), extent.length(), body);
        } catch (RuntimeException e) {
            answer.abort();
            throw e;
        }
    }

    private static void end(ResponseInputStream<?> answer, boolean clean) {
        if (!clean) {
            answer.abort();
            return;
        }
        try {
            answer.close();
        } catch (IOException | RuntimeException e) {
            answer.abort(); // every promised byte has come; only the connection is lost
        }
    }

    private static String header(ByteRange range) {
        return switch (range) {
            case ByteRange.FromTo(var from, var to) -> "bytes=" + from + "-" + (to == Long.MAX_VALUE ? "" : to);
            case ByteRange.Last(var count) -> "bytes=-" + count;
        };
    }

    @Override
    public BackendObject put(
            String key, long length, ByteSource body, WriteAttributes attributes, WriteCondition condition) {
        var written = upload.put(key, length, body, attributes, condition);
        bucketSeen = true;
        return written;
    }

    @Override
    public boolean keepsTags() {
        return true;
    }

    @Override
    public boolean encryptsOnRequest() {
        return true;
    }

    @Override
    public Optional<Tags> tags(String key) {
        var found = calls.run("tags", key, () -> {
            try {
                return Optional.of(client.getObjectTagging(
                        request -> request.bucket(address.bucket()).key(address.prefix() + key)));
            } catch (S3Exception refused) {
                if (SHOWS_NO_TAGS.contains(refused.statusCode())) {
                    return Optional.<GetObjectTaggingResponse>empty();
                }
                throw refused;
            }
        });
        bucketSeen = true;
        return found.map(answer -> {
            var tags = new LinkedHashMap<String, String>();
            answer.tagSet().forEach(tag -> tags.put(tag.key(), tag.value()));
            return new Tags(tags);
        });
    }

    @Override
    public void delete(String key) {
        calls.run(
                "delete",
                key,
                () -> client.deleteObject(
                        request -> request.bucket(address.bucket()).key(address.prefix() + key)));
        bucketSeen = true;
    }

    @Override
    public BackendPage list(String prefix, String delimiter, String after, int max) {
        var page = listing.list(prefix, delimiter, after, max);
        bucketSeen = true;
        return page;
    }

    @Override
    public void close() {
        client.close();
    }
}
