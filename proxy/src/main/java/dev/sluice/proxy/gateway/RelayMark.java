package dev.sluice.proxy.gateway;

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
/// nodes with different maps cannot relay it to each other. In the header: the version, a space, the bucket, and where
/// the primary is away, a space and `away`. It counts only with a token of the node that relays it: a client must not
/// be able to say it.
///
/// @param version of the map by which it was sent
/// @param bucket which that node read out of it; older nodes do not say
/// @param away whether the receiver is asked because the primary is away: only for reads of cached buckets
public record RelayMark(long version, Optional<String> bucket, boolean away) {
    public static final String HEADER = ObjectCall.HOP;
    private static final String AWAY = " away"; // no bucket's name has a space

    public RelayMark(long version, Optional<String> bucket) {
        this(version, bucket, false);
    }

    /// What a client says of a hop is dropped.
    public static RequestHead believed(RequestHead head, PeerTokens tokens) {
        return !head.headers().has(HEADER) || tokens.isHop(head) ? head : head.without(HEADER);
    }

    /// Of a believed request. Empty when nobody has relayed it.
    public static Optional<RelayMark> of(RequestHead head) {
        return head.headers().first(HEADER).map(RelayMark::parse);
    }

    private static RelayMark parse(String header) {
        boolean away = header.endsWith(AWAY);
        var value = away ? header.substring(0, header.length() - AWAY.length()) : header;
        int space = value.indexOf(' ');
        var version = space < 0 ? value : value.substring(0, space);
        var bucket = space < 0 ? Optional.<String>empty() : Optional.of(value.substring(space + 1));
        try {
            return new RelayMark(Long.parseLong(version), bucket, away);
        } catch (NumberFormatException _) {
            return new RelayMark(0, bucket, away);
        }
    }

    /// To be added to a request that goes to this node.
    public Headers headers(RequestHead head, NodeId receiver, PeerTokens tokens) {
        var hop = version + bucket.map(" "::concat).orElse("") + (away ? AWAY : "");
        return Headers.of(HEADER, hop, HopTokens.HEADER, tokens.issueHop(receiver, head, hop));
    }

    /// Nodes that disagree on which hosts name buckets would serve another object.
    ///
    /// @throws StoreException.Unavailable when this node reads another bucket out of it
    public static void requireSameBucket(RequestHead head, UnreadRequest request) {
        var relayed = of(head).flatMap(RelayMark::bucket);
        if (relayed.isPresent() && !relayed.equals(request.bucket())) {
            throw new StoreException.Unavailable(
                    "A node relayed a request for the bucket %s, which is another one here: give all nodes the same http.base_domain, and a loopback address to all or none"
                            .formatted(relayed.get()));
        }
    }
}
