package dev.sluice.targetnode.object;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.s3.S3Error;
import dev.sluice.common.s3.S3Errors;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.answer.ErrorXml;
import dev.sluice.common.s3.answer.MultipartXml;
import dev.sluice.common.s3.answer.S3Responses;
import dev.sluice.common.s3.body.BodyDecoder;
import dev.sluice.common.s3.parse.S3Bodies;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.bucket.BucketWriteGate;
import dev.sluice.targetnode.coldfill.WriteThrough;
import dev.sluice.targetnode.quota.Quotas;
import dev.sluice.targetnode.storage.multipart.Multipart;
import dev.sluice.targetnode.storage.multipart.WholeChecksums;
import dev.sluice.targetnode.storage.record.Part;
import dev.sluice.targetnode.storage.record.UploadState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/// CompleteMultipartUpload. When it takes long (parts that must be moved, a slow cloud) the client is kept waiting with
/// a 200 and white space, and the result or the error follows in the document, as S3 does it.
public final class CompleteUploadHandler {
    public static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Multipart uploads;
    private final BucketWriteGate writes;
    private final Quotas quotas;
    private final ObjectSizeLimit limit;
    private final WriteThrough writeThrough;
    private final Executor threads;
    private final Duration patience;

    /// @param patience how long an answer may take before the client is kept waiting with white space, and between that
    public CompleteUploadHandler(
            Multipart uploads,
            BucketWriteGate writes,
            Quotas quotas,
            ObjectSizeLimit limit,
            WriteThrough writeThrough,
            Executor threads,
            Duration patience) {
        this.uploads = uploads;
        this.writes = writes;
        this.quotas = quotas;
        this.limit = limit;
        this.writeThrough = writeThrough;
        this.threads = threads;
        this.patience = patience;
    }

    public Response handle(ObjectCall call, S3Request.CompleteMultipartUpload request, ByteSource raw) {
        var listed = S3Bodies.completeMultipartUpload(document(call, raw));
        var gone = new AtomicBoolean();
        var done = CompletableFuture.supplyAsync(
                () -> complete(call, request, listed, () -> gone.get() || raw.abandoned()), threads);
        return Await.within(patience, done)
                .map(MultipartXml::completed)
                .map(S3Responses::xml)
                .orElseGet(() -> Response.of(
                        200,
                        Headers.of("Content-Type", "application/xml"),
                        new ResponseBody.Streamed(
                                RequestHead.UNKNOWN_LENGTH,
                                sink -> keepWaiting(done, call.head(), noting(sink::write, gone)))));
    }

    private static byte[] document(ObjectCall call, ByteSource raw) {
        try (var body = BodyDecoder.open(raw, call.head(), call.terms())) {
            return S3Bodies.read(body, S3Bodies.LARGEST_COMPLETE);
        } catch (IOException e) {
            throw new StoreException.IncompleteBody("The body broke off: " + e.getMessage());
        }
    }

    private interface Out {
        void write(ByteBuffer bytes) throws IOException;
    }

    /// @param gone set when nobody takes the answer
    private static Out noting(Out out, AtomicBoolean gone) {
        return bytes -> {
            boolean taken = false;
            try {
                out.write(bytes);
                taken = true;
            } finally {
                if (!taken) {
                    gone.set(true);
                }
            }
        };
    }

    private void keepWaiting(CompletableFuture<MultipartXml.Completed> done, RequestHead head, Out out)
            throws IOException {
        out.write(S3Responses.xmlDeclaration());
        try {
            var completed = Await.within(patience, done);
            while (completed.isEmpty()) {
                out.write(ByteBuffer.wrap(new byte[] {' '}));
                completed = Await.within(patience, done);
            }
            out.write(MultipartXml.completedElement(completed.get()));
        } catch (RuntimeException failure) {
            out.write(ErrorXml.element(error(failure), head.path(), head.requestId()));
        }
    }

    private static S3Error error(RuntimeException failure) throws IOException {
        return switch (failure) {
            case S3Failure ours -> ours.error();
            case StoreException store -> S3Errors.of(store);
            default -> throw new IOException("completing the upload failed", failure);
        };
    }

    /// @param abandoned whether nobody waits for it any more
    private MultipartXml.Completed complete(
            ObjectCall call,
            S3Request.CompleteMultipartUpload request,
            List<S3Request.CompletedPart> listed,
            BooleanSupplier abandoned) {
        if (call.bucket().backed()) {
            return writtenThrough(call, request, listed, abandoned);
        }
        try {
            return assembled(call, request, listed, abandoned);
        } catch (StoreException.NoSuchUpload ended) {
            var done = uploads.completed(BucketRefs.of(call.bucket()), call.key(), request.uploadId())
                    .orElseThrow(() -> ended);
            return answer(call, request, done.etag(), done.checksums());
        }
    }

    private MultipartXml.Completed assembled(
            ObjectCall call,
            S3Request.CompleteMultipartUpload request,
            List<S3Request.CompletedPart> listed,
            BooleanSupplier abandoned) {
        var bucket = call.bucket();
        var ref = BucketRefs.of(bucket);
        var key = call.key();
        var upload = uploads.require(ref, key, request.uploadId());
        var present = parts(call, request);
        var checksums = checked(upload, request, listed, present, abandoned);
        long size = size(wanted(present, listed));
        writes.requireWritable(bucket);
        try (var room = quotas.reserve(bucket, () -> quotas.growth(bucket, key, size) - size(present))) {
            var record = uploads.complete(
                    ref,
                    key,
                    request.uploadId(),
                    listed,
                    checksums,
                    PutObjectHandler.check(request.conditions(), key).unless(abandoned),
                    BucketRefs.durability(bucket),
                    commit -> writes.within(bucket, () -> room.storing(size, commit)));
            return answer(call, request, record.etag(), record.checksums());
        }
    }

    private MultipartXml.Completed writtenThrough(
            ObjectCall call,
            S3Request.CompleteMultipartUpload request,
            List<S3Request.CompletedPart> listed,
            BooleanSupplier abandoned) {
        var bucket = call.bucket();
        try {
            var upload = uploads.require(BucketRefs.of(bucket), call.key(), request.uploadId());
            var present = parts(call, request);
            var checksums = checked(upload, request, listed, present, abandoned);
            var done = writeThrough.complete(
                    bucket, call.key(), request.uploadId(), listed, present, checksums, request.conditions());
            return answer(call, request, done.etag(), done.checksums());
        } catch (StoreException.NoSuchUpload ended) {
            var done = writeThrough
                    .completed(bucket, call.key(), request.uploadId())
                    .orElseThrow(() -> ended);
            return answer(call, request, done.etag(), done.checksums());
        }
    }

    private List<Part> parts(ObjectCall call, S3Request.CompleteMultipartUpload request) {
        return uploads.listParts(BucketRefs.of(call.bucket()), call.key(), request.uploadId(), 0, Integer.MAX_VALUE);
    }

    private Map<ChecksumAlgorithm, String> checked(
            UploadState upload,
            S3Request.CompleteMultipartUpload request,
            List<S3Request.CompletedPart> listed,
            List<Part> present,
            BooleanSupplier abandoned) {
        var parts = wanted(present, listed);
        checkSize(request, parts);
        limit.require(size(parts));
        return new WholeChecksums(uploads, upload, request, parts, abandoned).compared(listed);
    }

    private static MultipartXml.Completed answer(
            ObjectCall call,
            S3Request.CompleteMultipartUpload request,
            String etag,
            Map<ChecksumAlgorithm, String> checksums) {
        boolean fullObject = checksums.values().stream().noneMatch(value -> value.contains("-"));
        var host = call.head().headers().first("Host").orElse("");
        var location = (call.head().secure() ? "https://" : "http://")
                + host
                + call.head().path();
        return new MultipartXml.Completed(request.name(), location, etag, checksums, fullObject);
    }

    /// The parts that the client names, as far as they are there; what is wrong with its list is said by the storage.
    private static List<Part> wanted(List<Part> present, List<S3Request.CompletedPart> listed) {
        var byNumber = new HashMap<Integer, Part>();
        present.forEach(part -> byNumber.put(part.number(), part));
        return listed.stream()
                .flatMap(named -> Optional.ofNullable(byNumber.get(named.partNumber())).stream())
                .toList();
    }

    private static long size(List<Part> parts) {
        return parts.stream().mapToLong(Part::size).sum();
    }

    private static void checkSize(S3Request.CompleteMultipartUpload request, List<Part> parts) {
        long size = size(parts);
        if (request.objectSize().isPresent() && request.objectSize().get() != size) {
            throw S3Failure.invalidRequest("x-amz-mp-object-size is %d, but the parts have %d bytes"
                    .formatted(request.objectSize().get(), size));
        }
    }
}
