package dev.sluice.targetnode.expiry;

import dev.sluice.common.cluster.ClusterViews;
import dev.sluice.common.cluster.Node;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.http.Headers;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.peer.PeerAddress;
import dev.sluice.common.peer.PeerClient;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Compares this target's clock with those of the others: one that is wrong would delete what has not expired.
public final class ClockCheck {
    private static final Logger LOG = LoggerFactory.getLogger(ClockCheck.class);

    /// So far it may be off.
    static final Duration TOLERANCE = Duration.ofMinutes(1);

    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final NodeId self;
    private final Supplier<List<Node>> targets;
    private final Times times;
    private final InstantSource clock;

    /// What other nodes' clocks say.
    interface Times {
        /// @return empty when the node does not answer soon
        Optional<Instant> of(Node node);
    }

    public ClockCheck(NodeId self, ClusterViews views, PeerClient peers, InstantSource clock) {
        this(self, () -> views.current().routing().targets(), node -> asked(node, peers), clock);
    }

    /// @param targets all, or all others
    ClockCheck(NodeId self, Supplier<List<Node>> targets, Times times, InstantSource clock) {
        this.self = self;
        this.targets = targets;
        this.times = times;
        this.clock = clock;
    }

    /// Why this clock is not to be trusted; empty when it is: most clocks agree with it, its own counted. Blocks for
    /// two seconds at most.
    public Optional<String> problem() {
        var others =
                targets.get().stream().filter(node -> !node.id().equals(self)).toList();
        return others.isEmpty() ? Optional.empty() : problem(others);
    }

    private Optional<String> problem(List<Node> others) {
        var answers = agreements(others);
        if (answers.isEmpty()) {
            return Optional.of("no other target answers, so whether this clock is right is not known");
        }
        long agree = answers.stream().filter(same -> same).count();
        long differ = answers.size() - agree;
        return agree + 1 > differ
                ? Optional.empty()
                : Optional.of("the clock differs by more than a minute from those of %d other targets of %d"
                        .formatted(differ, answers.size()));
    }

    /// Of those that answer, who are asked all at once.
    private List<Boolean> agreements(List<Node> others) {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var asked = others.stream()
                    .map(node -> threads.submit(() -> agrees(node)))
                    .toList();
            return asked.stream().flatMap(each -> Await.task(each).stream()).toList();
        }
    }

    private Optional<Boolean> agrees(Node node) {
        var before = clock.instant();
        var theirs = times.of(node);
        var after = clock.instant();
        return theirs.map(time -> time.isAfter(before.minus(TOLERANCE)) && time.isBefore(after.plus(TOLERANCE)));
    }

    private static Optional<Instant> asked(Node node, PeerClient peers) {
        try {
            var answer = peers.open(PeerAddress.of(node), "/health", Headers.EMPTY, PATIENCE);
            try (var _ = answer.body()) {
                return answer.headers()
                        .firstValue("Date")
                        .map(text -> Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text)));
            }
        } catch (StoreException | IOException | DateTimeException silent) {
            LOG.debug("{} is not asked for its time: {}", node.id(), silent.getMessage());
            return Optional.empty();
        }
    }
}
