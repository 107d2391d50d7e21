package dev.sluice.proxy.s3;

import dev.sluice.common.auth.Caller;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.ClusterView;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.http.Response;
import dev.sluice.common.s3.BucketDocument;
import dev.sluice.common.s3.BucketSetting;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.answer.BucketXml;
import dev.sluice.common.s3.answer.Owner;
import dev.sluice.common.s3.answer.S3Responses;
import dev.sluice.common.s3.answer.SettingXml;
import dev.sluice.common.s3.parse.S3Bodies;
import dev.sluice.proxy.gateway.RequestBodies;
import java.time.Instant;
import java.util.Optional;

/// The S3 actions on buckets themselves. Blocking.
public final class BucketHandlers {
    private final BucketLifecycle life;
    private final DocumentHandlers documents;
    private final String accepted;
    private final String shown;
    private final boolean encryptedDrives;

    /// @param region the one region of this cluster, or `*` for any, which has to be shown as some region
    /// @param encryptedDrives whether the operator says that all drives are encrypted below Sluice
    public BucketHandlers(BucketLifecycle life, String region, boolean encryptedDrives) {
        this.life = life;
        this.documents = new DocumentHandlers(life);
        this.accepted = region;
        this.shown = region.equals("*") ? "us-east-1" : region;
        this.encryptedDrives = encryptedDrives;
    }

    /// For what it is configured with.
    DocumentHandlers documents() {
        return documents;
    }

    public Response list(S3Request.ListBuckets request, ClusterView view) {
        var found = view.state().buckets().buckets().values().stream()
                .filter(bucket -> request.region().map(shown::equals).orElse(true))
                .filter(bucket -> bucket.name().startsWith(request.prefix())
                        && bucket.name().compareTo(request.after()) > 0)
                .map(bucket -> new BucketXml.Entry(bucket.name(), Instant.ofEpochMilli(bucket.createdMillis())))
                .limit(request.maxBuckets() + 1L)
                .toList();
        boolean truncated = found.size() > request.maxBuckets();
        var page = truncated ? found.subList(0, request.maxBuckets()) : found;
        return S3Responses.xml(BucketXml.listBuckets(Owner.SLUICE, request.prefix(), page, shown, truncated));
    }

    public Response create(S3Request.CreateBucket request, Caller caller, RequestHead head, ByteSource body) {
        var tags =
                S3Bodies.createBucket(RequestBodies.read(head, caller, body, S3Bodies.LARGEST_CONFIGURATION), accepted);
        life.create(request.bucket(), state -> DocumentHandlers.tagged(state.newBucket(Optional.empty()), tags));
        return Response.empty(200).with("Location", "/" + request.bucket());
    }

    public Response head() {
        return Response.empty(200).with("x-amz-bucket-region", shown);
    }

    public Response delete(Bucket bucket) {
        life.delete(bucket.name(), false);
        return Response.empty(204);
    }

    Response location() {
        return S3Responses.xml(BucketXml.location(shown));
    }

    Response versioning() {
        return S3Responses.xml(BucketXml.versioning());
    }

    /// Nothing of it is configured.
    public Response setting(S3Request.GetBucketSetting question, Bucket bucket, ClusterView view) {
        return switch (question.setting()) {
            case BucketSetting.Document(var root, var content) -> S3Responses.xml(SettingXml.document(root, content));
            case BucketSetting.Listing(var root) -> {
                question.id().ifPresent(id -> {
                    throw S3Failure.of(S3Code.NO_SUCH_CONFIGURATION, bucket.name(), id);
                });
                yield S3Responses.xml(SettingXml.emptyList(root));
            }
            case BucketSetting.Missing(var code) -> throw S3Failure.of(code, bucket.name());
            case BucketSetting.DriveEncryption() -> {
                if (!encryptedDrives || bucket.backed()) {
                    throw S3Failure.of(S3Code.NO_SUCH_ENCRYPTION, bucket.name());
                }
                yield S3Responses.xml(SettingXml.encryption());
            }
            case BucketSetting.OwnersAcl() -> S3Responses.xml(SettingXml.acl(Owner.SLUICE));
            case BucketSetting.PolicyStatus() -> {
                if (bucket.properties().document(BucketDocument.POLICY).isEmpty()) {
                    throw BucketDocument.POLICY.missing(bucket.name());
                }
                yield S3Responses.xml(
                        SettingXml.policyStatus(view.policy(bucket).isPublic()));
            }
        };
    }
}
