package dev.sluice.common.s3.parse;

import dev.sluice.common.http.Headers;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// The actions on an object and on its multipart uploads.
final class ObjectRequests {
    private static final String ALLOWED = "GET, HEAD, PUT, POST, DELETE";
    private static final SortedMap<String, String> NO_OVERRIDES = Collections.emptySortedMap();

    private ObjectRequests() {}

    static S3Request parse(String method, ObjectName name, Query query, Headers headers) {
        var sub = SubResource.of(query);
        return switch (method) {
            case "GET" -> get(name, sub, query, headers);
            case "HEAD" -> head(name, sub, query, headers);
            case "PUT" -> put(name, sub, query, served(headers));
            case "POST" -> post(name, sub, query, served(headers));
            case "DELETE" -> delete(name, sub, query, served(headers));
            default -> throw S3Failure.methodNotAllowed(ALLOWED);
        };
    }

    private static S3Request get(ObjectName name, SubResource sub, Query query, Headers headers) {
        if (sub == SubResource.UPLOAD_ID) {
            headers.forEach(NotServed::refuseHeader);
            return listParts(name, query);
        }
        sub.only(SubResource.NONE, ALLOWED);
        var read = ReadHeaders.of(headers);
        return new S3Request.GetObject(
                name, read.range(), read.conditions(), partNumber(query, read), read.checksumMode(), overrides(query));
    }

    private static S3Request head(ObjectName name, SubResource sub, Query query, Headers headers) {
        sub.only(SubResource.NONE, ALLOWED);
        var read = ReadHeaders.of(headers);
        return new S3Request.HeadObject(
                name, read.range(), read.conditions(), partNumber(query, read), read.checksumMode(), overrides(query));
    }

    private static S3Request put(ObjectName name, SubResource sub, Query query, Headers headers) {
        var source = headers.first("x-amz-copy-source").map(CopySource::parse);
        if (sub == SubResource.UPLOAD_ID || query.has("partNumber")) {
            var uploadId = uploadId(query, "uploading a part needs both uploadId and partNumber");
            int partNumber = Numbers.partNumber(query.text("partNumber"));
            if (source.isEmpty()) {
                return new S3Request.UploadPart(name, uploadId, partNumber, WriteHeaders.attributes(headers));
            }
            return new S3Request.UploadPartCopy(
                    name,
                    uploadId,
                    partNumber,
                    source.get(),
                    headers.first("x-amz-copy-source-range").map(RangeHeader::copySource),
                    CopySource.conditions(headers));
        }
        sub.only(SubResource.NONE, ALLOWED);
        return source.isPresent()
                ? copy(name, source.get(), headers)
                : new S3Request.PutObject(name, WriteHeaders.attributes(headers), WriteHeaders.conditions(headers));
    }

    private static S3Request copy(ObjectName name, ObjectName source, Headers headers) {
        if (headers.has("x-amz-copy-source-range")) {
            throw S3Failure.invalidArgument("x-amz-copy-source-range is for UploadPartCopy");
        }
        boolean replace = switch (headers.first("x-amz-metadata-directive").orElse("COPY")) {
            case "COPY" -> false;
            case "REPLACE" -> true;
            default -> throw S3Failure.invalidArgument("Unknown metadata directive.");
        };
        var attributes = WriteHeaders.attributes(headers);
        if (!replace && source.equals(name) && attributes.declared().isEmpty()) {
            throw S3Failure.invalidRequest("This copy request is illegal because it is trying to copy an object to"
                    + " itself without changing the object's metadata, storage class, website redirect location or"
                    + " encryption attributes.");
        }
        return new S3Request.CopyObject(
                name, source, replace, attributes, WriteHeaders.conditions(headers), CopySource.conditions(headers));
    }

    private static S3Request post(ObjectName name, SubResource sub, Query query, Headers headers) {
        if (sub == SubResource.UPLOADS) {
            var attributes = WriteHeaders.attributes(headers);
            return new S3Request.CreateMultipartUpload(
                    name, attributes, ChecksumHeaders.fullObject(headers, attributes.declared()));
        }
        sub.only(SubResource.UPLOAD_ID, "GET, HEAD, PUT, DELETE");
        headers.first("x-amz-checksum-type").ifPresent(ChecksumHeaders::checkType);
        return new S3Request.CompleteMultipartUpload(
                name,
                uploadId(query, "uploadId is empty"),
                ChecksumHeaders.values(headers, true),
                WriteHeaders.conditions(headers),
                headers.first("x-amz-mp-object-size").map(size -> Numbers.size("x-amz-mp-object-size", size)));
    }

    private static S3Request delete(ObjectName name, SubResource sub, Query query, Headers headers) {
        if (sub == SubResource.UPLOAD_ID) {
            return new S3Request.AbortMultipartUpload(name, uploadId(query, "uploadId is empty"));
        }
        sub.only(SubResource.NONE, ALLOWED);
        return new S3Request.DeleteObject(name, WriteHeaders.conditions(headers));
    }

    private static S3Request listParts(ObjectName name, Query query) {
        return new S3Request.ListParts(
                name,
                uploadId(query, "uploadId is empty"),
                Numbers.notNegative(query, "part-number-marker", 0),
                Numbers.pageSize(query, "max-parts"));
    }

    private static String uploadId(Query query, String otherwise) {
        var uploadId = query.text("uploadId");
        if (uploadId.isEmpty()) {
            throw S3Failure.invalidArgument(otherwise);
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
    private static Headers served(Headers headers) {
        if (headers.has("x-amz-rdma-token")) {
            throw S3Failure.noRdma();
        }
        headers.forEach(NotServed::refuseHeader);
        return headers;
    }
}
