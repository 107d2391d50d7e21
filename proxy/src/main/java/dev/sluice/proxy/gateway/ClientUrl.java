package dev.sluice.proxy.gateway;

import dev.sluice.common.cluster.AnyAddress;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.http.RequestHead;
import java.util.Optional;

/// The URL under which a client reaches a node. Where a node listens on every address of its machine, which is this
/// node's machine then, that has the host under which the client reached this node.
public final class ClientUrl {
    private ClientUrl() {}

    public static String of(Node node, RequestHead head) {
        return of(node, head, head.path());
    }

    /// @param path with the bucket, also when the Host header names it
    public static String of(Node node, RequestHead head, String path) {
        return host(head)
                .map(host -> AnyAddress.named(node.url(), path.equals(head.path()) ? host : withoutBucket(host, path)))
                .orElse(node.url());
    }

    /// As it was sent, without the port.
    private static Optional<String> host(RequestHead head) {
        return head.headers()
                .first("Host")
                .map(host -> host.replaceFirst(":[0-9]*$", ""))
                .filter(host -> !host.isEmpty());
    }

    private static String withoutBucket(String host, String path) {
        var label = path.substring(1, path.indexOf('/', 1)) + ".";
        return host.startsWith(label) ? host.substring(label.length()) : host;
    }
}
