package dev.sluice.targetnode.object;

import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.Response;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.Tags;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.s3.answer.CopyXml;
import dev.sluice.common.s3.answer.S3Responses;
import dev.sluice.targetnode.coldfill.CloudTags;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// CopyObject and UploadPartCopy: the source's bytes take the way of a PUT's body.
public final class CopyHandlers {
    private final CopySources sources;
    private final PutObjectHandler puts;
    private final MultipartHandlers multipart;
    private final CloudTags cloudTags;

    public CopyHandlers(CopySources sources, PutObjectHandler puts, MultipartHandlers multipart, CloudTags cloudTags) {
        this.sources = sources;
        this.puts = puts;
        this.multipart = multipart;
        this.cloudTags = cloudTags;
    }

    public Response object(ObjectCall call, S3Request.CopyObject copy, ByteSource body) {
        try (var source = sources.open(copy.source(), copy.sourceConditions(), Optional.empty())) {
            var asked = copy.attributes();
            var tags = copy.replaceTags() ? Tags.among(asked.headers()) : tags(copy.source(), source);
            boolean replace = copy.replaceMetadata();
            var attributes = new WriteAttributes(
                    Tags.with(replace ? asked.headers() : source.headers(), tags.header()),
                    replace ? asked.userMetadata() : source.userMetadata(),
                    replace ? asked.contentMd5() : Optional.empty(),
                    replace ? asked.checksums() : Map.of(),
                    asked.declared(),
                    asked.encrypted());
            cloudTags.requireKept(call.bucket(), attributes);
            var written = puts.write(
                    call.bucket(), call.key(), source.incoming(), attributes, copy.conditions(), body::abandoned);
            var answer = S3Responses.xml(CopyXml.object(
                    written.etag(), Instant.ofEpochMilli(written.modifiedMillis()), written.checksums()));
            return answer.with(PutObjectHandler.encryption(written));
        }
    }

    private Tags tags(ObjectName name, CopySources.Source source) {
        return source.bucket().backed()
                ? cloudTags.ofVersion(source.bucket(), name.key(), source.etag(), source.tagged())
                : source.tags();
    }

    public Response part(ObjectCall call, S3Request.UploadPartCopy copy) {
        try (var source = sources.open(copy.source(), copy.sourceConditions(), copy.sourceRange())) {
            var nothing =
                    new WriteAttributes(new TreeMap<>(), new TreeMap<>(), Optional.empty(), Map.of(), Optional.empty());
            var received = multipart.write(
                    call.bucket(), call.key(), copy.uploadId(), copy.partNumber(), source.incoming(), nothing);
            return S3Responses.xml(CopyXml.part(received.etag(), Instant.now(), received.checksums()));
        }
    }
}
