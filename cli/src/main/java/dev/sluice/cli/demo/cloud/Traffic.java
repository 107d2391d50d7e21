package dev.sluice.cli.demo.cloud;

import java.util.HashMap;
import java.util.Map;

/// What was asked of the cloud and how much it sent: `bytesUp` to it, `bytesDown` from it, both with HTTP's own heads.
public record Traffic(Map<RequestKind, Long> requests, Map<String, Long> getsByPath, long bytesUp, long bytesDown) {
    public static final Traffic NONE = new Traffic(Map.of(), Map.of(), 0, 0);

    public Traffic {
        requests = Map.copyOf(requests);
        getsByPath = Map.copyOf(getsByPath);
    }

    public long count(RequestKind kind) {
        return requests.getOrDefault(kind, 0L);
    }

    public long total() {
        return requests.values().stream().mapToLong(Long::longValue).sum();
    }

    /// How often this key was fetched, whatever the bucket is called.
    public long gets(String key) {
        return getsByPath.entrySet().stream()
                .filter(each -> each.getKey().endsWith("/" + key))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /// What happened since an earlier look at the same cloud.
    public Traffic since(Traffic earlier) {
        return new Traffic(
                minus(requests, earlier.requests),
                minus(getsByPath, earlier.getsByPath),
                bytesUp - earlier.bytesUp,
                bytesDown - earlier.bytesDown);
    }

    private static <K> Map<K, Long> minus(Map<K, Long> now, Map<K, Long> before) {
        var difference = new HashMap<K, Long>();
        now.forEach((key, count) -> {
            long more = count - before.getOrDefault(key, 0L);
            if (more != 0) {
                difference.put(key, more);
            }
        });
        return difference;
    }
}
