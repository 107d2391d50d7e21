package dev.sluice.bench.workload;

import dev.sluice.bench.load.Step;
import dev.sluice.bench.load.Workload;
import java.util.Optional;
import java.util.SplittableRandom;

/// Reads, heads and writes of random objects of the set, in given shares; the seed decides which. Writes go either to
/// the objects of the set or to fresh keys.
public final class RandomKeys implements Workload {
    private final KeySpace keys;
    private final Shares shares;
    private final boolean freshKeys;
    private final long seed;
    private final long run = System.currentTimeMillis();

    public RandomKeys(KeySpace keys, Shares shares, boolean freshKeys, long seed) {
        this.keys = keys;
        this.shares = shares;
        this.freshKeys = freshKeys;
        this.seed = seed;
    }

    /// Per cent of requests that are writes and heads; the rest are reads.
    public record Shares(int puts, int heads) {
        public Shares {
            if (puts < 0 || heads < 0 || puts + heads > 100) {
                throw new IllegalArgumentException(puts + " % PUT and " + heads + " % HEAD do not fit into 100 %");
            }
        }
    }

    @Override
    public Session session(int connection) {
        return new Random(connection);
    }

    private final class Random implements Session {
        private final SplittableRandom random;
        private final int connection;
        private long written;

        Random(int connection) {
            this.connection = connection;
            this.random = new SplittableRandom(seed * 31 + connection);
        }

        @Override
        public Optional<Step> next() {
            int dice = random.nextInt(100);
            int number = random.nextInt(keys.count());
            if (dice < shares.puts()) {
                return Optional.of(
                        freshKeys
                                ? Step.put(keys.freshPath(run, connection, written++), false)
                                : Step.put(keys.path(number), true));
            }
            String path = keys.path(number);
            boolean head = dice < shares.puts() + shares.heads();
            return Optional.of(head ? Step.head(path, keys.size()) : Step.get(path, keys.size()));
        }
    }
}
