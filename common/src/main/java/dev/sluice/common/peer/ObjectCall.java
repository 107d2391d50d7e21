package dev.sluice.common.peer;

import dev.sluice.common.auth.BodyTerms;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.s3.S3Request;

/// A request on one object, parsed, authenticated and authorised, on its way to the object's primary.
///
/// @param terms how its body is framed and what it is checked against
public record ObjectCall(S3Request.OnObject request, RequestHead head, BodyTerms terms, Bucket bucket) {
    public String key() {
        return request.name().key();
    }

    /// Marks a request that another node has relayed. A client's own is dropped before this.
    public static final String HOP = "x-sluice-hop";

    /// A node that copies an object asks for the tags with it.
    public static final String TAGS = "x-sluice-tags";

    /// Whether a node asks for the tags. A client's question is relayed, or without a peer's token.
    public boolean asksForTags() {
        var headers = head.headers();
        return headers.has(TAGS) && headers.has(PeerTokens.HEADER) && !relayed();
    }

    /// Whether another node has relayed it, and looks for another primary by itself.
    public boolean relayed() {
        return head.headers().has(HOP);
    }
}
