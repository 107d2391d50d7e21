package dev.sluice.proxy.s3;

import dev.sluice.common.auth.BucketPolicy;
import dev.sluice.common.auth.Caller;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.http.ResponseBody;
import dev.sluice.common.s3.BucketDocument;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.Tags;
import dev.sluice.common.s3.answer.SettingXml;
import dev.sluice.common.s3.config.CorsRules;
import dev.sluice.common.s3.config.LifecycleRules;
import dev.sluice.common.s3.parse.S3Bodies;
import dev.sluice.proxy.gateway.RequestBodies;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// The S3 actions on a bucket's documents. One that says what is not honoured is refused when it is put. A policy is
/// kept as it was sent, the others as S3 would return them. Blocking.
public final class DocumentHandlers {
    private final BucketLifecycle life;

    public DocumentHandlers(BucketLifecycle life) {
        this.life = life;
    }

    Response get(Bucket bucket, BucketDocument kind) {
        var text = bucket.properties().document(kind).orElseThrow(() -> kind.missing(bucket.name()));
        return Response.of(200, Headers.of("Content-Type", kind.contentType()), ResponseBody.text(text));
    }

    Response put(S3Request.PutBucketDocument request, Bucket bucket, Caller caller, RequestHead head, ByteSource body) {
        var document = RequestBodies.read(head, caller, body, BucketDocument.LARGEST);
        RequestBodies.verify(document, request.checksums(), request.contentMd5());
        var kind = request.document();
        change(bucket, kind, kept(kind, bucket, document));
        return Response.empty(kind.putStatus());
    }

    Response delete(Bucket bucket, BucketDocument kind) {
        change(bucket, kind, Optional.empty());
        return Response.empty(204);
    }

    /// Empty for a document that says as much as none.
    private static Optional<String> kept(BucketDocument kind, Bucket bucket, byte[] document) {
        return switch (kind) {
            case POLICY -> {
                BucketPolicy.parse(bucket.name(), document);
                yield Optional.of(new String(document, StandardCharsets.UTF_8));
            }
            case LIFECYCLE -> Optional.of(lifecycle(bucket, document).xml());
            case TAGGING -> text(S3Bodies.tagging(document));
            case CORS -> Optional.of(CorsRules.parse(document).xml());
        };
    }

    /// To let an object of a cached bucket expire would be to delete it in the cloud.
    private static LifecycleRules lifecycle(Bucket bucket, byte[] document) {
        var rules = LifecycleRules.parse(document);
        if (bucket.backed()
                && rules.rules().stream().anyMatch(rule -> rule.expiry().isPresent())) {
            throw S3Failure.notImplemented(
                    "Expiration in a bucket with a backend: let the cloud's own lifecycle do it");
        }
        return rules;
    }

    /// A new bucket's properties.
    static BucketProperties tagged(BucketProperties properties, Tags tags) {
        return with(properties, BucketDocument.TAGGING, text(tags));
    }

    private static Optional<String> text(Tags tags) {
        return tags.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        StandardCharsets.UTF_8.decode(SettingXml.tagging(tags)).toString());
    }

    private void change(Bucket bucket, BucketDocument kind, Optional<String> text) {
        life.change(bucket, properties -> with(properties, kind, text));
    }

    private static BucketProperties with(BucketProperties properties, BucketDocument kind, Optional<String> text) {
        try {
            return properties.with(kind, text);
        } catch (IllegalArgumentException tooLarge) {
            throw S3Failure.invalidRequest(String.valueOf(tooLarge.getMessage()));
        }
    }
}
