package dev.sluice.targetnode.coldfill;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sluice.backend.BackendObject;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.cluster.Revalidate;
import dev.sluice.common.concurrent.Await;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.bucket.BucketRefs;
import dev.sluice.targetnode.storage.ObjectStore;
import dev.sluice.targetnode.storage.change.Durability;
import dev.sluice.targetnode.storage.hotset.StoredObject;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Compares cached objects with the cloud's, as the bucket's [Revalidate] says. Readers of an object share one question
/// to the cloud. What the cloud has otherwise, or no longer, is dropped here: the next look fills it, or finds nothing.
public final class Revalidation {
    private static final Logger LOG = LoggerFactory.getLogger(Revalidation.class);

    /// How long a reader waits for the cloud's word where it may do without.
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    /// After the cloud did not answer, or refused an object, nobody asks it again for so long.
    private static final Duration AWAY = Duration.ofSeconds(10);
    private static final int REFUSED = 100_000;

    private final ObjectStore store;
    private final BucketBackends backends;
    private final InstantSource clock;
    private final Map<ObjectKey, Question> asked = new HashMap<>();
    private final Map<Long, Long> awayUntil = new ConcurrentHashMap<>();
    private final Cache<ObjectKey, Long> refusedUntil =
            Caffeine.newBuilder().maximumSize(REFUSED).build();
    private final Map<Long, RevalidationCounts> counts = new ConcurrentHashMap<>();

    /// What the cloud had of a key.
    ///
    /// @param askedMillis when it was asked
    private record Word(Optional<BackendObject> object, long askedMillis) {
        boolean isOf(ObjectRecord record) {
            return object.filter(there -> isSame(there, record)).isPresent();
        }
    }

    /// What the cloud has of one key: readers wait for it, or for the one that is asked after it.
    private static final class Question {
        private final Consumer<Word> first;
        private final CompletableFuture<Word> word = new CompletableFuture<>();
        private Optional<Question> next = Optional.empty();

        /// @param first what who asked first does with the word, also when nobody waits any more
        Question(Consumer<Word> first) {
            this.first = first;
        }
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

    /// In milliseconds since 1970, by the clock that tells how old a comparison is.
    public long now() {
        return clock.millis();
    }

    // ---- readers

    /// Whether an object may be served as it is. Never blocks.
    public boolean isSurelyFresh(Bucket bucket, StoredObject object) {
        var rule = rule(bucket);
        return rule.equals(Revalidate.NEVER)
                || object.agreedMillis()
                        .filter(agreed -> !rule.isDue(agreed, now()))
                        .isPresent();
    }

    /// Asks the cloud when it is time to.
    ///
    /// @throws StoreException when the cloud does not answer, and the bucket wants to know always; when an outdated
    /// object cannot be dropped
    public Verdict check(Bucket bucket, StoredObject object) {
        var rule = rule(bucket);
        if (rule.equals(Revalidate.NEVER)) {
            return Verdict.SERVE;
        }
        var record = object.record();
        boolean current = ask(
                        bucket,
                        record.key(),
                        () -> rule.isDue(object.findAgreedMillis(), now()),
                        word -> count(bucket, isCurrent(bucket, record, word)))
                .map(word -> isCurrent(bucket, record, word))
                .orElse(true);
        return current ? Verdict.SERVE : Verdict.LOOK_AGAIN;
    }

    /// Whether a reader may follow a fetch that others began: asks the cloud when it is time to.
    ///
    /// @param outdated what to do once the cloud says that it has another one, also when nobody waits any more
    /// @throws StoreException when the cloud does not answer, and the bucket wants to know always
    boolean mayFollow(Bucket bucket, Fill fill, BackendObject fetched, Runnable outdated) {
        return ask(bucket, fetched.key(), () -> rule(bucket).isDue(fill.agreedMillis(), now()), word -> {
                    boolean same = isCurrent(fill, fetched, word);
                    count(bucket, same);
                    if (!same) {
                        outdated.run();
                    }
                })
                .map(word -> isCurrent(fill, fetched, word))
                .orElse(true);
    }

    private static Revalidate rule(Bucket bucket) {
        return bucket.properties().cache().revalidate();
    }

    private void count(Bucket bucket, boolean same) {
        counts(bucket.id()).count(same ? RevalidationCounts.Outcome.SAME : RevalidationCounts.Outcome.OUTDATED);
    }

    private Optional<Word> unchecked(Bucket bucket) {
        counts(bucket.id()).count(RevalidationCounts.Outcome.UNCHECKED);
        return Optional.empty();
    }

    /// @param due whether the cloud is to be asked; false as soon as `first` has noted that the object is current
    /// @param first what to do with the word once
    /// @return empty when it is not due, or the cloud does not say, and the bucket does without
    private Optional<Word> ask(Bucket bucket, String key, BooleanSupplier due, Consumer<Word> first) {
        if (!due.getAsBoolean()) {
            return Optional.empty();
        }
        boolean always = rule(bucket).equals(Revalidate.ALWAYS);
        var name = new ObjectKey(bucket.id(), key);
        if (!always && (isAway(bucket) || isRefused(name))) {
            return unchecked(bucket);
        }
        var question = ask(bucket, name, due, first, always);
        if (question.isEmpty()) {
            return Optional.empty();
        }
        var word = question.get().word;
        try {
            var said = always ? Optional.of(Await.of(word)) : Await.within(PATIENCE, word);
            if (said.isEmpty() && !word.isDone()) {
                isAway(bucket, true);
            }
            return said.isPresent() ? said : unchecked(bucket); // the question goes on, and drops what is outdated
        } catch (NoWord silent) {
            if (always) {
                throw silent.why;
            }
            return unchecked(bucket);
        }
    }

    private boolean isAway(Bucket bucket) {
        return awayUntil.getOrDefault(bucket.id(), Long.MIN_VALUE) > now();
    }

    private boolean isRefused(ObjectKey key) {
        var until = refusedUntil.getIfPresent(key);
        return until != null && until > now();
    }

    private void isAway(Bucket bucket, boolean away) {
        if (away) {
            awayUntil.put(bucket.id(), now() + AWAY.toMillis());
        } else {
            awayUntil.remove(bucket.id());
        }
    }

    // ---- questions

    /// @param fromNow whether the cloud must be asked after this call: a change just before it must be seen
    /// @return empty when a question that has just ended has answered
    private Optional<Question> ask(
            Bucket bucket, ObjectKey key, BooleanSupplier due, Consumer<Word> first, boolean fromNow) {
        synchronized (asked) {
            var running = Optional.ofNullable(asked.get(key));
            if (running.isPresent() && !fromNow) {
                return running;
            }
            if (running.isPresent()) {
                running.get().next = running.get().next.or(() -> Optional.of(new Question(first)));
                return running.get().next;
            }
            if (!due.getAsBoolean()) {
                return Optional.empty();
            }
            var question = new Question(first);
            asked.put(key, question);
            start(bucket, key, question);
            return Optional.of(question);
        }
    }

    private void start(Bucket bucket, ObjectKey key, Question question) {
        Thread.ofVirtual().name("revalidation").start(() -> answer(bucket, key, question));
    }

    /// Who asks after the question is over finds what was compared.
    private void answer(Bucket bucket, ObjectKey key, Question question) {
        try {
            var word = word(bucket, key.key());
            question.first.accept(word);
            over(bucket, key, question);
            question.word.complete(word);
        } catch (Throwable failure) {
            over(bucket, key, question);
            question.word.completeExceptionally(failure);
            if (!(failure instanceof StoreException) && !(failure instanceof NoWord)) {
                LOG.error("{}/{} is not compared with the cloud's: a bug", bucket.name(), key.key(), failure);
            }
        }
    }

    private void over(Bucket bucket, ObjectKey key, Question question) {
        synchronized (asked) {
            if (question.next.isEmpty()) {
                asked.remove(key);
                return;
            }
            asked.put(key, question.next.get());
            start(bucket, key, question.next.get());
        }
    }

    private Word word(Bucket bucket, String key) {
        long askedMillis = now();
        try {
            var word = new Word(inCloud(bucket, key), askedMillis);
            isAway(bucket, false);
            return word;
        } catch (StoreException silent) {
            LOG.debug("{}/{} is not compared with the cloud's: {}", bucket.name(), key, silent.getMessage());
            if (silent instanceof StoreException.BackendUnavailable) {
                isAway(bucket, true);
            } else { // it may be of this key only
                refusedUntil.put(new ObjectKey(bucket.id(), key), now() + AWAY.toMillis());
            }
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

    // ---- comparisons

    /// What the cloud has of a key. That it has none is only believed when its list says so too: without a body, the
    /// 404 of a bucket that is gone, or of something on the way, looks the same.
    ///
    /// @throws StoreException when it does not say
    public Optional<BackendObject> inCloud(Bucket bucket, String key) {
        var backend = backends.of(bucket);
        try {
            return Optional.of(backend.head(key));
        } catch (StoreException.NoSuchKey _) {
            if (backend.list(key, "", "", 1).entries().stream()
                    .anyMatch(entry -> entry.key().equals(key))) {
                throw new StoreException.BackendDenied("the cloud lists %s, but says that it has none".formatted(key));
            }
            return Optional.empty();
        }
    }

    /// Whether a cached object is that of the cloud.
    public static boolean isSame(BackendObject there, ObjectRecord record) {
        return record.backendVersion()
                .map(version -> version.equals(there.version()))
                .orElseGet(() -> record.etag().equals(there.etag()));
    }

    private static boolean isCurrent(Fill fill, BackendObject fetched, Word word) {
        boolean same = word.object()
                .filter(there -> there.version().equals(fetched.version()))
                .isPresent();
        if (same) {
            fill.agreed(word.askedMillis());
        }
        return same;
    }

    /// Notes that it is, or drops it.
    private boolean isCurrent(Bucket bucket, ObjectRecord record, Word word) {
        boolean same = word.isOf(record);
        if (same) {
            store.agreed(BucketRefs.of(bucket), record.key(), record.version(), word.askedMillis());
        } else {
            var _ = drop(bucket, record);
        }
        return same;
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
