package dev.sluice.backend.s3;

import dev.sluice.backend.BackendAddress;
import dev.sluice.backend.BackendCalls;
import dev.sluice.backend.BackendObject;
import dev.sluice.backend.BackendSettings;
import dev.sluice.backend.SourceStream;
import dev.sluice.backend.WriteCondition;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.s3.Tags;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.store.StoreException;
import java.io.InputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.ServerSideEncryption;

/// Writing to S3: in one PutObject, or in parts where S3 does not take that much in one. Streams either way.
final class S3Upload {
    /// What S3 says of an object that it has taken.
    private record Taken(String etag, Optional<String> encryption) {}

    private record Promise(ChecksumAlgorithm algorithm, BiConsumer<PutObjectRequest.Builder, String> maker) {}

    /// Of the checksums a client may promise, S3 takes one; the cheapest good one first.
    private static final List<Promise> PREFERRED = List.of(
            new Promise(ChecksumAlgorithm.CRC32C, PutObjectRequest.Builder::checksumCRC32C),
            new Promise(ChecksumAlgorithm.CRC64NVME, PutObjectRequest.Builder::checksumCRC64NVME),
            new Promise(ChecksumAlgorithm.CRC32, PutObjectRequest.Builder::checksumCRC32),
            new Promise(ChecksumAlgorithm.SHA256, PutObjectRequest.Builder::checksumSHA256),
            new Promise(ChecksumAlgorithm.SHA1, PutObjectRequest.Builder::checksumSHA1));

    private static final int MOST_PARTS = 10_000;

    private final BackendAddress address;
    private final BackendSettings settings;
    private final S3Client client;
    private final BackendCalls calls;

    S3Upload(BackendAddress address, BackendSettings settings, S3Client client, BackendCalls calls) {
        this.address = address;
        this.settings = settings;
        this.client = client;
        this.calls = calls;
    }

    BackendObject put(
            String key, long length, ByteSource source, WriteAttributes attributes, WriteCondition condition) {
        if (length < 0) {
            source.close();
            throw new StoreException.InvalidArgument("a backend is written with a known length only");
        }
        try (source) {
            var body = new SourceStream(source);
            var taken = length > settings.multipartThreshold()
                    ? inParts(key, length, body, attributes, condition)
                    : inOne(key, length, body, attributes, condition);
            return written(key, length, taken, attributes);
        }
    }

    private Taken inOne(
            String key, long length, SourceStream body, WriteAttributes attributes, WriteCondition condition) {
        var request = PutObjectRequest.builder().bucket(address.bucket()).key(address.prefix() + key);
        Map<String, String> headers = attributes.headers();
        request.contentType(headers.get("Content-Type"))
                .contentEncoding(headers.get("Content-Encoding"))
                .contentDisposition(headers.get("Content-Disposition"))
                .contentLanguage(headers.get("Content-Language"))
                .cacheControl(headers.get("Cache-Control"))
                .tagging(headers.get(Tags.HEADER))
                .metadata(attributes.userMetadata());
        request.overrideConfiguration(override ->
                Optional.ofNullable(headers.get("Expires")).ifPresent(value -> override.putHeader("Expires", value)));
        if (attributes.encrypted()) {
            request.serverSideEncryption(ServerSideEncryption.AES256);
        }
        attributes.contentMd5().ifPresent(md5 -> request.contentMD5(base64(md5)));
        promise(request, attributes.checksums());
        switch (condition) {
            case WriteCondition.Always _ -> {}
            case WriteCondition.IfAbsent _ -> request.ifNoneMatch("*");
            case WriteCondition.IfVersion(var version) -> request.ifMatch(S3Objects.quoted(version));
        }
        var wanted = request.build();
        return sending("put", key, body, length, content -> {
            var answer = client.putObject(wanted, content);
            return new Taken(answer.eTag(), Optional.ofNullable(answer.serverSideEncryptionAsString()));
        });
    }

    private static void promise(PutObjectRequest.Builder request, Map<ChecksumAlgorithm, String> checksums) {
        for (var promise : PREFERRED) {
            var value = checksums.get(promise.algorithm());
            if (value != null) {
                promise.maker().accept(request, value);
                return;
            }
        }
    }

    /// Parts of equal length, one after the other, since the body comes as one stream.
    private Taken inParts(
            String key, long length, SourceStream body, WriteAttributes attributes, WriteCondition condition) {
        var uploadId = create(key, attributes);
        try {
            long partSize = Math.max(settings.partSize(), (length + MOST_PARTS - 1) / MOST_PARTS);
            var parts = new ArrayList<CompletedPart>();
            for (long at = 0; at < length; at += partSize) {
                long size = Math.min(partSize, length - at);
                int number = parts.size() + 1;
                var etag = sending(
                        "put-part",
                        key,
                        body,
                        size,
                        content -> client.uploadPart(
                                        request -> request.bucket(address.bucket())
                                                .key(address.prefix() + key)
                                                .uploadId(uploadId)
                                                .partNumber(number),
                                        content)
                                .eTag());
                parts.add(CompletedPart.builder()
                        .partNumber(number)
                        .eTag(S3Objects.quoted(S3Objects.unquoted(etag)))
                        .build());
            }
            return complete(key, uploadId, parts, condition);
        } catch (RuntimeException e) {
            abort(key, uploadId, e);
            throw e;
        }
    }

    private String create(String key, WriteAttributes attributes) {
        Map<String, String> headers = attributes.headers();
        var request = CreateMultipartUploadRequest.builder()
                .bucket(address.bucket())
                .key(address.prefix() + key)
                .contentType(headers.get("Content-Type"))
                .contentEncoding(headers.get("Content-Encoding"))
                .contentDisposition(headers.get("Content-Disposition"))
                .contentLanguage(headers.get("Content-Language"))
                .cacheControl(headers.get("Cache-Control"))
                .tagging(headers.get(Tags.HEADER))
                .metadata(attributes.userMetadata())
                .overrideConfiguration(override -> Optional.ofNullable(headers.get("Expires"))
                        .ifPresent(value -> override.putHeader("Expires", value)));
        if (attributes.encrypted()) {
            request.serverSideEncryption(ServerSideEncryption.AES256);
        }
        var wanted = request.build();
        return calls.run(
                "put-create", key, () -> client.createMultipartUpload(wanted).uploadId());
    }

    private Taken complete(String key, String uploadId, List<CompletedPart> parts, WriteCondition condition) {
        var request = CompleteMultipartUploadRequest.builder()
                .bucket(address.bucket())
                .key(address.prefix() + key)
                .uploadId(uploadId)
                .multipartUpload(all -> all.parts(parts));
        switch (condition) {
            case WriteCondition.Always _ -> {}
            case WriteCondition.IfAbsent _ -> request.ifNoneMatch("*");
            case WriteCondition.IfVersion(var version) -> request.ifMatch(S3Objects.quoted(version));
        }
        var wanted = request.build();
        return calls.run("put-complete", key, () -> {
            var answer = client.completeMultipartUpload(wanted);
            return new Taken(answer.eTag(), Optional.ofNullable(answer.serverSideEncryptionAsString()));
        });
    }

    private void abort(String key, String uploadId, RuntimeException cause) {
        try {
            calls.run(
                    "put-abort",
                    key,
                    () -> client.abortMultipartUpload(request -> request.bucket(address.bucket())
                            .key(address.prefix() + key)
                            .uploadId(uploadId)));
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    /// Sends the next bytes of a body: never twice, and a failure of the body is not taken for one of the cloud.
    private <T> T sending(
            String operation, String key, SourceStream body, long length, Function<RequestBody, T> request) {
        body.part(length);
        var content = RequestBody.fromContentProvider(
                ContentStreamProvider.fromInputStreamSupplier(() -> unread(body)), length, "application/octet-stream");
        var answer = calls.run(operation, key, () -> !body.begun(), () -> {
            try {
                return request.apply(content);
            } catch (RuntimeException e) {
                throw body.explain(e);
            }
        });
        calls.sent(length);
        return answer;
    }

    private static InputStream unread(SourceStream body) {
        if (body.begun()) {
            throw new IllegalStateException("a streamed body cannot be read twice");
        }
        return body;
    }

    private static String base64(String hex) {
        return Base64.getEncoder().encodeToString(HexFormat.of().parseHex(hex));
    }

    private static BackendObject written(String key, long length, Taken taken, WriteAttributes attributes) {
        var etag = S3Objects.unquoted(taken.etag());
        return new BackendObject(
                key,
                length,
                etag,
                etag,
                Instant.now(),
                Tags.counted(attributes.headers()),
                attributes.userMetadata(),
                attributes.checksums(),
                Optional.empty(),
                taken.encryption());
    }
}
