package dev.sluice.cli.demo.cloud;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/// Counts requests and bytes as they pass. Safe for many threads.
final class TrafficCounter {
    private final Map<RequestKind, LongAdder> requests = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> getsByPath = new ConcurrentHashMap<>();
    private final LongAdder up = new LongAdder();
    private final LongAdder down = new LongAdder();

    void request(RequestLine line) {
        RequestKind kind = RequestKind.of(line);
        requests.computeIfAbsent(kind, _ -> new LongAdder()).increment();
        if (kind == RequestKind.GET) {
            getsByPath.computeIfAbsent(line.path(), _ -> new LongAdder()).increment();
        }
    }

    void up(int bytes) {
        up.add(bytes);
    }

    void down(int bytes) {
        down.add(bytes);
    }

    Traffic soFar() {
        return new Traffic(sums(requests), sums(getsByPath), up.sum(), down.sum());
    }

    private static <K> Map<K, Long> sums(Map<K, LongAdder> counts) {
        return counts.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, each -> each.getValue().sum()));
    }
}
