package dev.sluice.proxy;

import dev.sluice.common.auth.HopTokens;
import dev.sluice.common.http.Headers;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.peer.PeerTokens;
import dev.sluice.common.s3.parse.UnreadRequest;
import dev.sluice.common.store.StoreException;
import java.util.Optional;

/// Marks a request that another node has relayed already. Whoever gets it serves it or says why not, so that two
/// nodes with different maps cannot relay it to each other. In the header: the version, a space, the bucket. It
/// counts only with a token of the node that relays it: a client must not be able to say it.
///
/// @param version of the map by which it was sent
/// @param bucket which that node read out of it; older nodes do not say
record Hop(long version, Optional<String> bucket) {
    static final String HEADER = ObjectCall.HOP;

    /// What a client says of a hop is dropped.
    static RequestHead believed(RequestHead head, PeerTokens tokens) {
        return !head.headers().has(HEADER) || tokens.isHop(head) ? head : head.without(HEADER);
    }

    /// Of a believed request. Empty when nobody has relayed it.
    static Optional<Hop> of(RequestHead head) {
        return head.headers().first(HEADER).map(Hop::parse);
    }

    private static Hop parse(String value) {
        int space = value.indexOf(' ');
        var version = space < 0 ? value : value.substring(0, space);
        var bucket = space < 0 ? Optional.<String>empty() : Optional.of(value.substring(space + 1));
        try {
            return new Hop(Long.parseLong(version), bucket);
        } catch (NumberFormatException _) {
            return new Hop(0, bucket);
        }
    }

    /// To be added to a request that goes to this node.
    Headers headers(RequestHead head, NodeId receiver, PeerTokens tokens) {
        var hop = version + bucket.map(" "::concat).orElse("");
        return Headers.of(HEADER, hop, HopTokens.HEADER, tokens.issueHop(receiver, head, hop));
    }

    /// Nodes that disagree on which hosts name buckets would serve another object.
    ///
    /// @throws StoreException.Unavailable when this node reads another bucket out of it
    static void requireSameBucket(RequestHead head, UnreadRequest request) {
        var relayed = of(head).flatMap(Hop::bucket);
        if (relayed.isPresent() && !relayed.equals(request.bucket())) {
            throw new StoreException.Unavailable(
                    "A node relayed a request for the bucket %s, which is another one here: give all nodes the same http.base_domain, and a loopback address to all or none"
                            .formatted(relayed.get()));
        }
    }
}
