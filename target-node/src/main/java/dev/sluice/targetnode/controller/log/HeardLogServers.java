package dev.sluice.targetnode.controller.log;

import dev.sluice.common.name.NodeId;
import dev.sluice.targetnode.controller.raft.LogId;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The places in the log that the other controllers said last, each for two seconds. They may be of several logs: the
/// folder of another cluster, or of an earlier life of this one, may have come to a controller. Servers of logs that
/// were replaced do not count.
final class HeardLogServers {
    static final Duration FRESH = Duration.ofSeconds(2);

    private record Heard(LogServer seat, long at) {}

    private final Map<NodeId, Heard> seats = new ConcurrentHashMap<>();
    private final Set<LogId> barred = ConcurrentHashMap.newKeySet();

    void heard(NodeId controller, LogServer seat) {
        bar(seat.barred());
        seats.put(controller, new Heard(seat, System.nanoTime()));
    }

    /// These logs were replaced by others, for good.
    void bar(Set<LogId> logs) {
        barred.addAll(logs);
    }

    boolean isBarred(LogId log) {
        return barred.contains(log);
    }

    Set<LogId> barred() {
        return Set.copyOf(barred);
    }

    SortedMap<NodeId, LogServer> fresh() {
        long now = System.nanoTime();
        var fresh = new TreeMap<NodeId, LogServer>();
        seats.forEach((controller, heard) -> {
            if (now - heard.at() < FRESH.toNanos()
                    && heard.seat().log().filter(this::isBarred).isEmpty()) {
                fresh.put(controller, heard.seat());
            }
        });
        return fresh;
    }

    /// Those with a server of this log.
    SortedMap<NodeId, LogServer> of(LogId log) {
        var of = fresh();
        of.values().removeIf(seat -> !isOf(seat, log));
        return of;
    }

    /// Those with a server of another log.
    SortedMap<NodeId, LogServer> notOf(LogId log) {
        var others = fresh();
        others.values().removeIf(seat -> seat.log().isEmpty() || isOf(seat, log));
        return others;
    }

    private static boolean isOf(LogServer seat, LogId log) {
        return seat.log().equals(Optional.of(log));
    }

    private Stream<LogServer> leading() {
        return fresh().values().stream()
                .filter(seat -> seat.leads() && seat.log().isPresent()); // a lone one has none
    }

    boolean isLed() {
        return leading().findAny().isPresent();
    }

    boolean isLed(LogId log) {
        return leading().anyMatch(seat -> isOf(seat, log));
    }

    boolean isAnotherLed(LogId log) {
        return leading().anyMatch(seat -> !isOf(seat, log));
    }

    /// The log that another controller leads; empty also when two lead, each another log.
    Optional<LogId> led() {
        var logs = leading().flatMap(seat -> seat.log().stream()).collect(Collectors.toSet());
        return logs.size() == 1 ? Optional.of(logs.iterator().next()) : Optional.empty();
    }

    Optional<NodeId> leader() {
        return fresh().entrySet().stream()
                .filter(each -> each.getValue().leads())
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /// Whether each of them says that it has no part of any log.
    boolean haveNone(Collection<NodeId> controllers) {
        var none = new TreeSet<NodeId>();
        fresh().forEach((controller, seat) -> {
            if (seat.holding() == LogServer.Holding.NONE) {
                none.add(controller);
            }
        });
        return none.containsAll(controllers);
    }
}
