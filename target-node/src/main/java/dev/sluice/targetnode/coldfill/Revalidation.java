package dev.sluice.targetnode.coldfill;

import dev.sluice.backend.BackendObject;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.Revalidate;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.hotset.StoredObject;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Compares cached objects with the cloud's, as the bucket's [Revalidate] says. Readers of an object share one question
/// to the cloud. What the cloud has otherwise, or no longer, is dropped here: the next look fills it, or finds nothing.
public final class Revalidation {
    private static final Logger LOG = LoggerFactory.getLogger(Revalidation.class);

    /// How long a reader waits for the cloud's word where it may do without.
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    /// After the cloud did not answer, nobody waits for it for so long.
    private static final Duration AWAY = Duration.ofSeconds(10);

    private final ObjectStore store;
    private final BucketBackends backends;
    private final InstantSource clock;
    private final Map<ObjectKey, Question> asked = new HashMap<>();
    private final Map<Long, Long> awayUntil = new ConcurrentHashMap<>();
    private final Map<Long, RevalidationCounts> counts = new ConcurrentHashMap<>();

    /// What the cloud said of one version.
    ///
    /// @param same whether the cloud has it; else it was dropped here
    private record Word(ObjectVersion version, boolean same) {}

    /// One question that readers wait for, and the one to be asked after it.
    private static final class Question {
        private final CompletableFuture<Word> word = new CompletableFuture<>();
        private Optional<Question> next = Optional.empty();
    }

    /// What a reader is to do.
    public enum Verdict {
        SERVE,
        /// It is not, or no longer, what is to be served.
        LOOK_AGAIN
    }

    public Revalidation(ObjectStore store, BucketBackends backends, InstantSource clock) {
        this.store = store;
        this.backends = backends;
        this.clock = clock;
    }

    /// Forgets all other buckets.
    public void retain(Set<Long> bucketIds) {
        counts.keySet().retainAll(bucketIds);
        awayUntil.keySet().retainAll(bucketIds);
    }

    /// Of one bucket, since this target began.
    public RevalidationCounts counts(long bucketId) {
        return counts.computeIfAbsent(bucketId, _ -> new RevalidationCounts());
    }

    /// How many questions are under way or wait for one that is.
    public int waiting() {
        synchronized (asked) {
            return asked.values().stream()
                    .mapToInt(question -> question.next.isPresent() ? 2 : 1)
                    .sum();
        }
    }

    /// Whether an object may be served as it is. Never blocks.
    public boolean isSurelyFresh(Bucket bucket, StoredObject object) {
        var rule = rule(bucket);
        return rule.equals(Revalidate.NEVER)
                || object.agreedMillis()
                        .filter(agreed -> !rule.isDue(agreed, clock.millis()))
                        .isPresent();
    }

    /// Asks the cloud when it is time to.
    ///
    /// @throws StoreException when the cloud does not answer, and the bucket wants to know always; when an outdated
    /// object cannot be dropped
    public Verdict check(Bucket bucket, StoredObject object) {
        var rule = rule(bucket);
        if (rule.equals(Revalidate.NEVER) || !rule.isDue(object.findAgreedMillis(), clock.millis())) {
            return Verdict.SERVE;
        }
        boolean always = rule.equals(Revalidate.ALWAYS);
        if (!always && isAway(bucket)) {
            return unchecked(bucket);
        }
        var word = ask(bucket, object, always);
        try {
            return judged(object, always ? word.get() : word.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException _) {
            return unchecked(bucket); // the question goes on, and drops what is outdated
        } catch (ExecutionException e) {
            return switch (e.getCause()) {
                case NoWord silent when always -> throw silent.why;
                case NoWord _ -> unchecked(bucket);
                case StoreException failure -> throw failure;
                case null, default -> throw new IllegalStateException("a comparison with the cloud", e.getCause());
            };
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException.Unavailable("interrupted");
        }
    }

    /// @param fetchedMillis when the cloud was asked for what is being fetched
    boolean isDue(Bucket bucket, long fetchedMillis) {
        return rule(bucket).isDue(fetchedMillis, clock.millis());
    }

    long now() {
        return clock.millis();
    }

    /// Whether the cloud still has what is being fetched.
    ///
    /// @throws StoreException when the cloud does not answer, and the bucket wants to know always
    boolean isStill(Bucket bucket, BackendObject fetched) {
        try {
            return backends.of(bucket).head(fetched.key()).version().equals(fetched.version());
        } catch (StoreException.NoSuchKey _) {
            return false;
        } catch (StoreException silent) {
            if (rule(bucket).equals(Revalidate.ALWAYS)) {
                throw silent;
            }
            return unchecked(bucket) == Verdict.SERVE;
        }
    }

    private static Revalidate rule(Bucket bucket) {
        return bucket.properties().cache().revalidate();
    }

    private static Verdict judged(StoredObject object, Word word) {
        return word.same() && word.version().equals(object.record().version()) ? Verdict.SERVE : Verdict.LOOK_AGAIN;
    }

    private Verdict unchecked(Bucket bucket) {
        counts(bucket.id()).count(RevalidationCounts.Outcome.UNCHECKED);
        return Verdict.SERVE;
    }

    private boolean isAway(Bucket bucket) {
        return awayUntil.getOrDefault(bucket.id(), Long.MIN_VALUE) > clock.millis();
    }

    // ---- questions

    /// @param fromNow whether the cloud must be asked after this call: a change just before it must be seen
    private CompletableFuture<Word> ask(Bucket bucket, StoredObject object, boolean fromNow) {
        var key = new ObjectKey(bucket.id(), object.record().key());
        synchronized (asked) {
            var running = asked.get(key);
            if (running == null) {
                var question = new Question();
                asked.put(key, question);
                start(bucket, key, object.record(), question);
                return question.word;
            }
            if (!fromNow) {
                return running.word;
            }
            var next = running.next.orElseGet(Question::new);
            running.next = Optional.of(next);
            return next.word;
        }
    }

    private void start(Bucket bucket, ObjectKey key, ObjectRecord record, Question question) {
        Thread.ofVirtual().name("revalidation").start(() -> answer(bucket, key, record, question));
    }

    private void answer(Bucket bucket, ObjectKey key, ObjectRecord record, Question question) {
        try {
            var word = word(bucket, record);
            followed(bucket, key, record, question);
            question.word.complete(word);
        } catch (Throwable failure) {
            followed(bucket, key, record, question);
            question.word.completeExceptionally(failure);
            if (!(failure instanceof StoreException) && !(failure instanceof NoWord)) {
                LOG.error("{}/{} is not compared with the cloud's: a bug", bucket.name(), key.key(), failure);
            }
        }
    }

    private void followed(Bucket bucket, ObjectKey key, ObjectRecord record, Question question) {
        synchronized (asked) {
            if (question.next.isEmpty()) {
                asked.remove(key);
                return;
            }
            asked.put(key, question.next.get());
            start(bucket, key, record, question.next.get());
        }
    }

    private Word word(Bucket bucket, ObjectRecord record) {
        long now = clock.millis();
        boolean same = asked(bucket, record);
        if (same) {
            store.agreed(BucketRefs.of(bucket), record.key(), record.version(), now);
        } else {
            var _ = drop(bucket, record);
        }
        counts(bucket.id()).count(same ? RevalidationCounts.Outcome.SAME : RevalidationCounts.Outcome.OUTDATED);
        return new Word(record.version(), same);
    }

    private boolean asked(Bucket bucket, ObjectRecord record) {
        try {
            boolean same = isCurrent(bucket, record);
            awayUntil.remove(bucket.id());
            return same;
        } catch (StoreException silent) {
            LOG.debug("{}/{} is not compared with the cloud's: {}", bucket.name(), record.key(), silent.getMessage());
            awayUntil.put(bucket.id(), clock.millis() + AWAY.toMillis());
            throw new NoWord(silent);
        }
    }

    /// The cloud did not say what it has.
    private static final class NoWord extends RuntimeException {
        private final StoreException why;

        NoWord(StoreException why) {
            super(why);
            this.why = why;
        }
    }

    /// Whether the cloud has the very object that is here.
    ///
    /// @throws StoreException when it does not say
    public boolean isCurrent(Bucket bucket, ObjectRecord record) {
        try {
            var there = backends.of(bucket).head(record.key());
            return record.backendVersion()
                    .map(version -> version.equals(there.version()))
                    .orElseGet(() -> record.etag().equals(there.etag()));
        } catch (StoreException.NoSuchKey _) {
            return false;
        }
    }

    /// Drops an object that the cloud has otherwise by now, or not any more, unless a client has written another one
    /// since. Synced as every deletion of a cached object.
    ///
    /// @return false when it was another one already
    public boolean drop(Bucket bucket, ObjectRecord outdated) {
        try {
            return store.delete(
                    BucketRefs.of(bucket),
                    outdated.key(),
                    present -> {
                        if (!present.map(ObjectRecord::version).equals(Optional.of(outdated.version()))) {
                            throw new Replaced();
                        }
                    },
                    Durability.FSYNC);
        } catch (Replaced _) {
            return false;
        }
    }

    private static final class Replaced extends RuntimeException {
        Replaced() {
            super("replaced", null, false, false);
        }
    }
}
