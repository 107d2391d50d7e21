package dev.sluice.cli.s3;

import dev.sluice.cli.failure.CommandFailure;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;
import javax.xml.stream.XMLStreamException;

/// A large file in parts, some at a time; aborted as a whole if one of them fails.
record MultipartUpload(SignedHttp http, String path, Path file, long size, LongConsumer sent) {
    private static final long SMALLEST_PART = 16L << 20;
    private static final long MOST_PARTS = 10_000;
    private static final int AT_A_TIME = 4;

    static long partSize(long size) {
        return Math.max(SMALLEST_PART, Math.ceilDiv(size, MOST_PARTS));
    }

    String run() {
        var answer = http.call("POST", path, Map.of("uploads", "")).body();
        var upload = text(parsed(answer), "UploadId");
        try {
            return complete(upload, sendParts(upload));
        } catch (CommandFailure failure) {
            abort(upload, failure);
            throw failure;
        }
    }

    /// The first failure is the one to report; a server that does not even take the abort forgets the parts later.
    private void abort(String upload, CommandFailure failure) {
        try {
            http.call("DELETE", path, Map.of("uploadId", upload));
        } catch (CommandFailure another) {
            failure.addSuppressed(another);
        }
    }

    private List<String> sendParts(String upload) {
        var length = partSize(size);
        try (var threads =
                Executors.newFixedThreadPool(AT_A_TIME, Thread.ofVirtual().factory())) {
            var parts = new ArrayList<Future<String>>();
            for (long start = 0; start < size; start += length) {
                var slice = new FileSlice(file, start, Math.min(length, size - start), sent);
                var number = parts.size() + 1;
                parts.add(threads.submit(part(upload, number, slice)));
            }
            var etags = new ArrayList<String>();
            for (var part : parts) {
                etags.add(part.get());
            }
            return etags;
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof CommandFailure known
                    ? known
                    : CommandFailure.failed(file + ": " + failed.getCause());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw CommandFailure.failed("interrupted");
        }
    }

    private Callable<String> part(String upload, int number, FileSlice slice) {
        var query = Map.of("uploadId", upload, "partNumber", Integer.toString(number));
        return () -> S3Client.etag(http.call("PUT", path, query, Map.of(), slice.body()));
    }

    private String complete(String upload, List<String> etags) {
        var xml = new StringBuilder("<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
        for (var number = 1; number <= etags.size(); number++) {
            xml.append("<Part><PartNumber>%d</PartNumber><ETag>\"%s\"</ETag></Part>"
                    .formatted(number, etags.get(number - 1)));
        }
        xml.append("</CompleteMultipartUpload>");
        var answer =
                http.call("POST", path, Map.of("uploadId", upload), Map.of(), BodyPublishers.ofString(xml.toString()));
        var result = parsed(answer.body());
        if (result.name().equals("Error")) {
            throw ServerFailure.ofXml(answer.statusCode(), result, answer.body())
                    .asCommandFailure();
        }
        return text(result, "ETag").replace("\"", "");
    }

    private XmlElement parsed(String answer) {
        try {
            return XmlElement.parse(answer);
        } catch (XMLStreamException unreadable) {
            throw CommandFailure.failed(
                    http.endpoint() + " sent an answer that is not XML: " + unreadable.getMessage());
        }
    }

    private String text(XmlElement answer, String field) {
        return answer.text(field)
                .map(String::strip)
                .filter(text -> !text.isEmpty())
                .orElseThrow(() -> CommandFailure.failed(http.endpoint() + " sent an answer without " + field));
    }
}
