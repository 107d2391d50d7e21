package dev.sluice.targetnode.storage;

import static dev.sluice.targetnode.storage.StoreFixture.BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.s3.S3Errors;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.record.ObjectRecord;
import dev.sluice.targetnode.storage.slots.Lookup;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/// What a store has acknowledged, and whether it keeps to that: right bytes and the right record or a 5xx; a listing
/// with every key or a 5xx; never "no such key" for what was acknowledged, never a deleted object.
final class Acknowledged {
    private static final int SERVER_ERROR = 500;

    /// One thing that a key may be: absent, or these bytes, with this record when that is known.
    private record State(Optional<byte[]> content, Optional<ObjectRecord> record) {
        static final State ABSENT = new State(Optional.empty(), Optional.empty());

        boolean is(byte[] found, ObjectRecord as) {
            return content.isPresent()
                    && Arrays.equals(content.get(), found)
                    && (record.isEmpty() || record.get().equals(as));
        }
    }

    private final Map<String, List<State>> states = new TreeMap<>();

    Acknowledged() {}

    Acknowledged(Acknowledged other) {
        other.states.forEach((key, may) -> states.put(key, new ArrayList<>(may)));
    }

    /// @return whether it was acknowledged; a 5xx leaves old or new, anything else is thrown
    boolean put(ObjectStore store, String key, byte[] content) {
        return change(key, Optional.of(content), () -> Optional.of(StoreFixture.put(store, key, content)));
    }

    boolean delete(ObjectStore store, String key) {
        return change(key, Optional.empty(), () -> {
            StoreFixture.delete(store, key);
            return Optional.empty();
        });
    }

    /// A change of any other kind.
    boolean change(String key, Optional<byte[]> content, java.util.concurrent.Callable<Optional<ObjectRecord>> how) {
        begun(key, content);
        try {
            var record = how.call();
            states.put(key, new ArrayList<>(List.of(new State(content, record))));
            return true;
        } catch (StoreException refused) {
            requireServerError(key, refused);
            return false;
        } catch (Exception unexpected) {
            throw new AssertionError(key, unexpected);
        }
    }

    /// A change that nobody will hear of.
    void begun(String key, Optional<byte[]> content) {
        states.computeIfAbsent(key, _ -> new ArrayList<>(List.of(State.ABSENT)))
                .add(new State(content, Optional.empty()));
    }

    static void requireServerError(String what, StoreException refused) {
        assertThat(S3Errors.of(refused).status()).as("%s: %s", what, refused).isGreaterThanOrEqualTo(SERVER_ERROR);
    }

    /// @return the keys that the store does not give now, with a 5xx
    Map<String, String> refusals(ObjectStore store) throws IOException {
        var refused = new TreeMap<String, String>();
        for (var each : states.entrySet()) {
            var key = each.getKey();
            try {
                requireState(store, key, each.getValue());
            } catch (StoreException.NoSuchKey missing) {
                assertThat(each.getValue()).as("no such key: %s", key).anyMatch(may -> may.content.isEmpty());
            } catch (StoreException failure) {
                requireServerError(key, failure);
                refused.put(key, String.valueOf(failure.getMessage()));
            }
        }
        requireListing(store, refused.keySet());
        return refused;
    }

    private static void requireState(ObjectStore store, String key, List<State> may) throws IOException {
        switch (store.lookup(BUCKET, key)) {
            case Lookup.Unknown(var why) -> throw new StoreException.Unavailable(why);
            case Lookup.Miss() -> throw new StoreException.NoSuchKey(key);
            case Lookup.Damaged(var why) -> throw new StoreException.Damaged(why);
            case Lookup.Hit(var object) -> {
                try (object) {
                    var content = ByteBuffer.allocate((int) object.record().size());
                    object.read(0, content);
                    assertThat(content.hasRemaining()).as("short: %s", key).isFalse();
                    assertThat(may)
                            .as("wrong bytes or record of %s: %s", key, object.record())
                            .anyMatch(state -> state.is(content.array(), object.record()));
                }
            }
        }
    }

    private void requireListing(ObjectStore store, java.util.Set<String> refused) {
        var listed = new HashMap<String, Long>();
        try {
            store.list(BUCKET.id(), "", "", 1000).forEach(entry -> listed.put(entry.key(), entry.size()));
        } catch (StoreException failure) {
            requireServerError("listing", failure);
            return;
        }
        var all = new TreeSet<>(listed.keySet());
        all.addAll(states.keySet());
        for (var key : all) {
            var may = states.getOrDefault(key, List.of(State.ABSENT));
            if (!listed.containsKey(key)) {
                assertThat(may).as("not listed: %s", key).anyMatch(state -> state.content.isEmpty());
            } else if (!refused.contains(key)) {
                assertThat(may)
                        .as("listed: %s with %s", key, listed.get(key))
                        .anyMatch(state -> state.content.isPresent() && state.content.get().length == listed.get(key));
            }
        }
    }
}
