package dev.sluice.cli.demo.cold;

import dev.sluice.cli.demo.cloud.RequestKind;
import dev.sluice.cli.demo.cloud.Traffic;
import dev.sluice.cli.demo.live.LiveClusters;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/// Reads each object once from the cloud and once, cold, through Sluice, in turn; then one more by many readers
/// at once.
final class ColdComparison {
    private final LiveClusters clusters;
    private final RandomObjects objects;
    private final List<TimedRead> direct = new ArrayList<>();
    private final List<TimedRead> through = new ArrayList<>();
    private final List<Long> backendGets = new ArrayList<>();

    /// Medians in milliseconds; `mostGets` is the worst of all rounds, `sharedGets` that of the many readers together.
    record Result(
            double directFirstByte,
            double firstByte,
            double directLastByte,
            double lastByte,
            long mostGets,
            int readers,
            long sharedGets) {
        double firstByteLater() {
            return firstByte - directFirstByte;
        }

        double lastByteRatio() {
            return lastByte / directLastByte;
        }
    }

    ColdComparison(LiveClusters clusters, RandomObjects objects) {
        this.clusters = clusters;
        this.objects = objects;
    }

    /// Small objects read the same way, so that the JVMs have compiled what is measured later.
    void warmUp(RandomObjects small) throws IOException {
        for (String key : small.checksums().keySet()) {
            TimedRead.of(clusters.distant(), small, key);
            TimedRead.of(clusters.proxy(), small, key);
        }
    }

    /// Object 0 is not counted, the last one is for the many readers.
    Result run(int rounds, int readers) throws IOException, InterruptedException {
        for (int round = 0; round <= rounds; round++) {
            round(objects.key(round), round % 2 == 0);
            if (round == 0) {
                direct.clear();
                through.clear();
            }
        }
        return new Result(
                median(direct, TimedRead::firstByte),
                median(through, TimedRead::firstByte),
                median(direct, TimedRead::lastByte),
                median(through, TimedRead::lastByte),
                backendGets.stream().mapToLong(Long::longValue).max().orElse(0),
                readers,
                shared(objects.key(rounds + 1), readers));
    }

    /// Who comes first changes from round to round: neither always finds the object in the cloud's page cache.
    private void round(String key, boolean directFirst) throws IOException {
        if (directFirst) {
            direct.add(TimedRead.of(clusters.distant(), objects, key));
        }
        Traffic before = clusters.traffic();
        through.add(TimedRead.of(clusters.proxy(), objects, key));
        backendGets.add(gets(before));
        if (!directFirst) {
            direct.add(TimedRead.of(clusters.distant(), objects, key));
        }
    }

    private long shared(String key, int readers) throws IOException, InterruptedException {
        Traffic before = clusters.traffic();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var reads = threads.invokeAll(IntStream.range(0, readers)
                    .mapToObj(_ -> (Callable<TimedRead>) () -> TimedRead.of(clusters.proxy(), objects, key))
                    .toList());
            for (var read : reads) {
                read.get();
            }
        } catch (ExecutionException e) {
            throw new IOException("one of " + readers + " readers failed: " + e.getCause(), e);
        }
        return gets(before);
    }

    private long gets(Traffic before) {
        return clusters.traffic().since(before).count(RequestKind.GET);
    }

    private static double median(List<TimedRead> reads, ToDoubleFunction<TimedRead> figure) {
        double[] sorted = reads.stream().mapToDouble(figure).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
