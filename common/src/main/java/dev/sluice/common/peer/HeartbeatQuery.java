package dev.sluice.common.peer;

import dev.sluice.common.cluster.Heartbeat;
import dev.sluice.common.http.QueryParameters;
import dev.sluice.common.name.NodeId;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// A beat as the query of a call. What an older build does not say counts as not known.
public final class HeartbeatQuery {
    private HeartbeatQuery() {}

    static String of(Heartbeat beat) {
        var heard = beat.heard()
                .map(targets ->
                        "&heard=" + encoded(targets.stream().map(NodeId::value).collect(Collectors.toSet())))
                .orElse("");
        return "target=%s&incarnation=%d&number=%d&applied=%d&full=%s%s"
                .formatted(
                        beat.target(), beat.incarnation(), beat.number(), beat.applied(), encoded(beat.full()), heard);
    }

    private static String encoded(Set<String> names) {
        return URLEncoder.encode(String.join(",", new TreeSet<>(names)), StandardCharsets.UTF_8);
    }

    /// @throws IllegalArgumentException when it has no target or incarnation, or something is malformed
    public static Heartbeat read(QueryParameters query) {
        return new Heartbeat(
                new NodeId(query.text("target")),
                Math.toIntExact(query.number("incarnation")),
                query.find("number").map(Long::parseLong).orElse(0L),
                names(query.text("full")),
                query.find("heard").map(HeartbeatQuery::names).map(HeartbeatQuery::targets),
                query.find("applied").map(Long::parseLong).orElse(-1L));
    }

    private static Set<String> names(String joined) {
        return joined.isEmpty() ? Set.of() : Set.copyOf(List.of(joined.split(",")));
    }

    private static Set<NodeId> targets(Set<String> names) {
        return names.stream().map(NodeId::new).collect(Collectors.toSet());
    }
}
