package dev.sluice.proxy.s3;

import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.engine.Operations;
import dev.sluice.common.peer.PeerPaths;
import dev.sluice.common.s3.parse.S3RequestParser;
import dev.sluice.proxy.gateway.NodePaths;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// What metrics call a request. Looks at the method, the form of the path and few parameters: the request need not be a
/// valid one, and is not parsed again.
public final class S3Operations implements Operations {
    private enum Operation {
        GET_OBJECT,
        HEAD_OBJECT,
        PUT_OBJECT,
        COPY_OBJECT,
        DELETE_OBJECT,
        DELETE_OBJECTS,
        UPLOAD_PART,
        /// Creates, completes, aborts or shows an upload.
        MULTIPART,
        LIST,
        /// All else of buckets.
        BUCKET,
        NATIVE,
        PEER,
        OTHER;

        private final String word = name().toLowerCase(Locale.ROOT);
    }

    private static final List<String> NAMES =
            Arrays.stream(Operation.values()).map(operation -> operation.word).toList();

    private final S3RequestParser parser;

    public S3Operations(S3RequestParser parser) {
        this.parser = parser;
    }

    @Override
    public List<String> names() {
        return NAMES;
    }

    @Override
    public String of(RequestHead head) {
        return kind(head).word;
    }

    private Operation kind(RequestHead head) {
        var path = head.path();
        if (parser.hostBucket(head.headers()).isPresent()) {
            return path.length() > 1 ? onObject(head) : onBucket(head);
        }
        if (path.startsWith("/v1/")) {
            return path.startsWith(PeerPaths.PREFIX) ? Operation.PEER : Operation.NATIVE;
        }
        if (path.equals(NodePaths.CLUSTER_HEALTH) || path.equals(NodePaths.READY)) {
            return Operation.OTHER;
        }
        int key = path.indexOf('/', 1) + 1;
        if (key > 0 && key < path.length()) {
            return onObject(head);
        }
        return path.equals(NodePaths.HEALTH) || path.equals(NodePaths.METRICS) ? Operation.OTHER : onBucket(head);
    }

    private static Operation onObject(RequestHead head) {
        return switch (head.method()) {
            case "GET" -> head.query().contains("uploadId=") ? Operation.MULTIPART : Operation.GET_OBJECT;
            case "HEAD" -> Operation.HEAD_OBJECT;
            case "PUT" -> {
                if (head.headers().has("x-amz-copy-source")) {
                    yield Operation.COPY_OBJECT;
                }
                yield head.query().contains("uploadId=") ? Operation.UPLOAD_PART : Operation.PUT_OBJECT;
            }
            case "DELETE" -> head.query().contains("uploadId=") ? Operation.MULTIPART : Operation.DELETE_OBJECT;
            case "POST" -> Operation.MULTIPART;
            default -> Operation.OTHER;
        };
    }

    private static Operation onBucket(RequestHead head) {
        var query = head.query();
        return switch (head.method()) {
            case "GET" ->
                query.isEmpty() || query.contains("list-type=") || query.contains("prefix=")
                        ? Operation.LIST
                        : Operation.BUCKET;
            case "POST" -> Operation.DELETE_OBJECTS;
            default -> Operation.BUCKET;
        };
    }
}
