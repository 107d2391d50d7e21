package dev.sluice.common.s3.parse;

import dev.sluice.common.http.RequestHead;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.s3.S3Action;
import dev.sluice.common.s3.S3Action.On;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import java.util.Optional;

/// A request of which only the URI was looked at: enough to ask who sends it and whether they may do it. Only then are
/// its arguments [read][#read()], so that nobody learns more than they may.
public final class UnreadRequest {
    private final RequestHead head;
    private final Address address;
    private final boolean bucketInHost;
    private final Query query;
    private final String selector;
    private final Optional<S3Action> action;

    private UnreadRequest(
            RequestHead head,
            Address address,
            boolean bucketInHost,
            Query query,
            String selector,
            Optional<S3Action> action) {
        this.head = head;
        this.address = address;
        this.bucketInHost = bucketInHost;
        this.query = query;
        this.selector = selector;
        this.action = action;
    }

    static UnreadRequest of(RequestHead head, Optional<String> hostBucket) {
        var address = Address.of(head, hostBucket);
        var query = Query.parse(head.query());
        var selector = selector(query);
        boolean puts = head.method().equals("PUT") && address instanceof Address.Key;
        if (puts && selector.isEmpty() && query.has("partNumber")) {
            selector = "uploadId"; // which is missing
        }
        boolean copies = puts && (head.headers().has("x-amz-copy-source") || query.hasHeader("x-amz-copy-source"));
        return new UnreadRequest(
                head,
                address,
                hostBucket.isPresent(),
                query,
                selector,
                S3Action.find(head.method(), on(address), selector, copies));
    }

    private static On on(Address address) {
        return switch (address) {
            case Address.Service() -> On.SERVICE;
            case Address.Bucket _ -> On.BUCKET;
            case Address.Key _ -> On.OBJECT;
        };
    }

    /// The first parameter that asks for an action counts.
    private static String selector(Query query) {
        for (int i = 0; i < query.size(); i++) {
            if (S3Action.selects(query.name(i))) {
                return query.name(i);
            }
        }
        return "";
    }

    /// Empty when the method does nothing there.
    public Optional<S3Action> action() {
        return action;
    }

    /// The bucket it concerns, or that of the object.
    public Optional<String> bucket() {
        return switch (address) {
            case Address.Service() -> Optional.empty();
            case Address.Bucket(var name) -> Optional.of(name);
            case Address.Key(var name) -> Optional.of(name.bucket());
        };
    }

    public Optional<ObjectName> object() {
        return address instanceof Address.Key(var name) ? Optional.of(name) : Optional.empty();
    }

    /// The path as it is on the wire, after the bucket's name when the Host header has that.
    public String pathWithBucket() {
        return bucketInHost ? "/" + bucket().orElseThrow() + head.path() : head.path();
    }

    /// @throws S3Failure when the arguments are wrong, or it is not served
    public S3Request read() {
        refuseConflicts();
        var asked = action.orElseThrow(this::noAction);
        if (asked.serving() == S3Action.Serving.REFUSED) {
            throw S3Failure.notImplemented(
                    (selector.isEmpty() ? asked.title() : "%s (?%s)".formatted(asked.title(), selector))
                            + instead(asked));
        }
        var arguments = query.signedOnly();
        ReadArguments.requireSigned(query, arguments);
        var headers = query.withHeadersInQuery(head.headers());
        arguments.first("versionId").ifPresent(NotServed::refuseVersion);
        return switch (address) {
            case Address.Key(var name) -> ObjectRequests.parse(asked, name, arguments, headers);
            case Address.Bucket(var bucket) -> BucketRequests.parse(asked, bucket, arguments, headers);
            case Address.Service() -> BucketRequests.list(arguments);
        };
    }

    private static String instead(S3Action asked) {
        return switch (asked) {
            case PUT_OBJECT_TAGGING, DELETE_OBJECT_TAGGING ->
                ". An object's tags come with it: write it again with x-amz-tagging";
            case PUT_BUCKET_VERSIONING -> ". No bucket has versions: write them under keys of their own";
            default -> "";
        };
    }

    private void refuseConflicts() {
        for (int i = 0; i < query.size(); i++) {
            var name = query.name(i);
            if (!name.equals(selector) && S3Action.selects(name)) {
                throw S3Failure.invalidArgument(
                        "ResourceType", selector, "Conflicting query string parameters: " + selector + ", " + name);
            }
        }
    }

    private S3Failure noAction() {
        if (selector.equals("uploadId") && address instanceof Address.Bucket) {
            return S3Failure.invalidArgument(
                    "uploadId", query.text("uploadId"), "uploadId needs a key, not only a bucket");
        }
        var allowed = S3Action.allowed(on(address), selector);
        return allowed.isEmpty()
                ? S3Failure.notImplemented("%s with the sub-resource ?%s".formatted(head.method(), selector))
                : S3Failure.methodNotAllowed(head.method(), allowed);
    }
}
