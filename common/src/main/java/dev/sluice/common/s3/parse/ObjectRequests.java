package dev.sluice.common.s3.parse;

import dev.sluice.common.http.Headers;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.s3.ObjectAttribute;
import dev.sluice.common.s3.S3Action;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Header;
import dev.sluice.common.s3.S3Request;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/// The actions on an object and on its multipart uploads.
final class ObjectRequests {
    private static final String PART_MARKER = "x-amz-part-number-marker";
    private static final SortedMap<String, String> NO_OVERRIDES = Collections.emptySortedMap();
    private static final Set<S3Action> OF_BEGUN_UPLOADS =
            EnumSet.of(S3Action.UPLOAD_PART, S3Action.UPLOAD_PART_COPY, S3Action.COMPLETE_MULTIPART_UPLOAD);

    private ObjectRequests() {}

    static S3Request parse(S3Action action, ObjectName name, Query query, Headers headers) {
        return switch (action) {
            case GET_OBJECT -> get(name, query, ReadHeaders.of(headers));
            case HEAD_OBJECT -> head(name, query, ReadHeaders.of(headers));
            case GET_OBJECT_ACL -> new S3Request.GetObjectAcl(name);
            case GET_OBJECT_TAGGING -> new S3Request.GetObjectTagging(name);
            case GET_OBJECT_ATTRIBUTES ->
                new S3Request.GetObjectAttributes(
                        name,
                        ObjectAttribute.of(headers.all(ObjectAttribute.HEADER)),
                        Numbers.notNegative(
                                PART_MARKER, headers.first(PART_MARKER).orElse(""), 0),
                        Numbers.pageSize(headers, "x-amz-max-parts"));
            default -> parseServed(action, name, query, served(action, headers));
        };
    }

    private static S3Request parseServed(S3Action action, ObjectName name, Query query, Headers headers) {
        return switch (action) {
            case PUT_OBJECT ->
                new S3Request.PutObject(name, WriteHeaders.ofBody(headers), WriteHeaders.conditions(headers));
            case COPY_OBJECT -> copy(name, source(headers), headers);
            case DELETE_OBJECT -> new S3Request.DeleteObject(name, WriteHeaders.deleteConditions(headers));
            case PUT_OBJECT_ACL -> {
                NotServed.requireOwnersAcl(headers);
                yield new S3Request.PutObjectAcl(name);
            }
            case CREATE_MULTIPART_UPLOAD -> {
                var attributes = WriteHeaders.attributes(headers);
                yield new S3Request.CreateMultipartUpload(
                        name, attributes, ChecksumHeaders.fullObject(headers, attributes.declared()));
            }
            case UPLOAD_PART ->
                new S3Request.UploadPart(name, partsUpload(query), partNumber(query), WriteHeaders.ofBody(headers));
            case UPLOAD_PART_COPY ->
                new S3Request.UploadPartCopy(
                        name,
                        partsUpload(query),
                        partNumber(query),
                        source(headers),
                        headers.first("x-amz-copy-source-range").map(RangeHeader::copySource),
                        CopySource.conditions(headers));
            case LIST_PARTS ->
                new S3Request.ListParts(
                        name,
                        uploadId(query, "uploadId is empty"),
                        Numbers.notNegative(query, "part-number-marker", 0),
                        Numbers.pageSize(query, "max-parts"));
            case COMPLETE_MULTIPART_UPLOAD -> complete(name, query, headers);
            case ABORT_MULTIPART_UPLOAD ->
                new S3Request.AbortMultipartUpload(name, uploadId(query, "uploadId is empty"));
            default -> throw new IllegalStateException(action + " is not on an object");
        };
    }

    private static S3Request get(ObjectName name, Query query, ReadHeaders read) {
        return new S3Request.GetObject(
                name,
                read.range(),
                read.conditions(),
                partNumber(query, read),
                read.checksumMode(),
                overrides(query),
                ReadArguments.member(query));
    }

    private static S3Request head(ObjectName name, Query query, ReadHeaders read) {
        ReadArguments.refuseMember(query);
        return new S3Request.HeadObject(
                name, read.range(), read.conditions(), partNumber(query, read), read.checksumMode(), overrides(query));
    }

    private static ObjectName source(Headers headers) {
        return CopySource.parse(headers.first("x-amz-copy-source").orElseThrow());
    }

    private static String partsUpload(Query query) {
        return uploadId(query, "uploading a part needs both uploadId and partNumber");
    }

    private static int partNumber(Query query) {
        return Numbers.partNumber(query.text("partNumber"));
    }

    private static S3Request copy(ObjectName name, ObjectName source, Headers headers) {
        if (headers.has("x-amz-copy-source-range")) {
            throw S3Failure.invalidArgument("x-amz-copy-source-range is for UploadPartCopy");
        }
        boolean replace = replaces(headers, "x-amz-metadata-directive", "Unknown metadata directive.");
        boolean replaceTags = replaces(headers, "x-amz-tagging-directive", "Unknown tagging directive.");
        var attributes = WriteHeaders.attributes(headers);
        if (!replace && source.equals(name) && attributes.declared().isEmpty() && !attributes.encrypted()) {
            throw S3Failure.invalidRequest("This copy request is illegal because it is trying to copy an object to"
                    + " itself without changing the object's metadata, storage class, website redirect location or"
                    + " encryption attributes.");
        }
        return new S3Request.CopyObject(
                name,
                source,
                replace,
                replaceTags,
                attributes,
                WriteHeaders.conditions(headers),
                CopySource.conditions(headers));
    }

    private static boolean replaces(Headers headers, String name, String otherwise) {
        var directive = headers.first(name).orElse("COPY");
        return switch (directive) {
            case "COPY" -> false;
            case "REPLACE" -> true;
            default -> throw S3Failure.invalidArgument(name, directive, otherwise);
        };
    }

    private static S3Request complete(ObjectName name, Query query, Headers headers) {
        return new S3Request.CompleteMultipartUpload(
                name,
                uploadId(query, "uploadId is empty"),
                ChecksumHeaders.values(headers, true),
                ChecksumHeaders.type(headers),
                WriteHeaders.conditions(headers),
                headers.first("x-amz-mp-object-size").map(size -> Numbers.size("x-amz-mp-object-size", size)));
    }

    private static String uploadId(Query query, String otherwise) {
        var uploadId = query.text("uploadId");
        if (uploadId.isEmpty()) {
            throw S3Failure.invalidArgument("uploadId", uploadId, otherwise);
        }
        return uploadId;
    }

    private static Optional<Integer> partNumber(Query query, ReadHeaders read) {
        var number = query.first("partNumber").map(Numbers::partNumber);
        if (number.isPresent() && read.range().isPresent()) {
            throw S3Failure.invalidRequest("Cannot specify both Range header and partNumber query parameter");
        }
        return number;
    }

    private static SortedMap<String, String> overrides(Query query) {
        if (query == Query.EMPTY) {
            return NO_OVERRIDES;
        }
        var overrides = new TreeMap<String, String>();
        for (int i = 0; i < query.size(); i++) {
            var header = switch (query.name(i)) {
                case "response-cache-control" -> "Cache-Control";
                case "response-content-disposition" -> "Content-Disposition";
                case "response-content-encoding" -> "Content-Encoding";
                case "response-content-language" -> "Content-Language";
                case "response-content-type" -> "Content-Type";
                case "response-expires" -> "Expires";
                default -> "";
            };
            if (!header.isEmpty()) {
                overrides.putIfAbsent(header, WriteHeaders.checkHeaderValue(query.name(i), query.value(i)));
            }
        }
        return overrides.isEmpty() ? NO_OVERRIDES : Collections.unmodifiableSortedMap(overrides);
    }

    /// The same headers, when there is none among them that must not be ignored.
    private static Headers served(S3Action action, Headers headers) {
        headers.forEach(NotServed.refusing(S3Header.In.of(action)));
        if (OF_BEGUN_UPLOADS.contains(action)) {
            NotServed.refuseEncryption(headers);
        }
        return headers;
    }
}
