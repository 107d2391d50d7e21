package dev.sluice.targetnode.replica.core.sim;

import dev.sluice.targetnode.replica.core.KeyRange;
import dev.sluice.targetnode.replica.core.KeyVersion;
import dev.sluice.targetnode.replica.core.OpenIntent;
import dev.sluice.targetnode.replica.core.Page;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/// A drive in memory. It keeps what was synced, and the changes since, so that a power cut can take them away.
final class MemoryStore implements Store {
    static final Comparator<ObjectKey> ORDER =
            Comparator.comparingLong(ObjectKey::bucketId).thenComparing(ObjectKey::key);

    private record State(TreeMap<ObjectKey, Row> rows, TreeMap<ObjectKey, Intent> intents) {
        static State empty() {
            return new State(new TreeMap<>(ORDER), new TreeMap<>(ORDER));
        }

        State copy() {
            var copy = empty();
            copy.rows.putAll(rows);
            copy.intents.putAll(intents);
            return copy;
        }
    }

    private interface Change {
        void apply(State state);
    }

    private State now = State.empty();
    private State synced = State.empty();
    private final List<Change> journal = new ArrayList<>();

    static int slot(ObjectKey key) {
        return (int) key.bucketId() - 1;
    }

    @Override
    public Optional<Row> row(ObjectKey key) {
        return Optional.ofNullable(now.rows.get(key));
    }

    @Override
    public Optional<Intent> intent(ObjectKey key) {
        return Optional.ofNullable(now.intents.get(key));
    }

    @Override
    public boolean survives(ObjectKey key, Slice slice, boolean delete) {
        var intent = synced.intents.get(key);
        var row = synced.rows.get(key);
        return (intent != null
                        && intent.version().equals(slice.version())
                        && (delete || intent.position() == slice.position()))
                || (row != null && row.version().compareTo(slice.version()) > 0)
                || (row != null && row.slice().equals(slice))
                || (delete && row == null);
    }

    @Override
    public List<OpenIntent> intents(int slot) {
        return now.intents.entrySet().stream()
                .filter(entry -> slot(entry.getKey()) == slot)
                .map(entry -> new OpenIntent(
                        entry.getKey(),
                        entry.getValue().version(),
                        entry.getValue().delete(),
                        entry.getValue().position()))
                .toList();
    }

    @Override
    public Page page(int slot, KeyRange range, int limit) {
        var rows = new ArrayList<KeyVersion>();
        for (Map.Entry<ObjectKey, Row> entry : now.rows.entrySet()) {
            if (slot(entry.getKey()) == slot && range.contains(entry.getKey(), ORDER)) {
                if (rows.size() == limit) {
                    var last = Optional.of(rows.getLast().key());
                    return new Page(new KeyRange(range.after(), last), rows);
                }
                rows.add(new KeyVersion(
                        entry.getKey(),
                        entry.getValue().version(),
                        entry.getValue().position()));
            }
        }
        return new Page(range, rows);
    }

    private void change(Change change) {
        change.apply(now);
        journal.add(change);
    }

    @Override
    public void prepare(ObjectKey key, Intent intent) {
        change(state -> state.intents.put(key, intent));
    }

    @Override
    public boolean settle(ObjectKey key, ObjectVersion version, boolean commit) {
        var intent = now.intents.get(key);
        if (intent == null || !intent.version().equals(version)) {
            return false;
        }
        change(state -> {
            state.intents.remove(key);
            if (commit && intent.delete()) {
                state.rows.remove(key);
            } else if (commit) {
                state.rows.put(key, new Row(version, intent.value(), intent.position()));
            }
        });
        return commit && intent.delete();
    }

    @Override
    public void deleteRow(ObjectKey key, ObjectVersion version) {
        change(state ->
                state.rows.computeIfPresent(key, (_, row) -> row.version().equals(version) ? null : row));
    }

    @Override
    public void put(ObjectKey key, Row row) {
        change(state -> state.rows.put(key, row));
    }

    @Override
    public void sync() {
        if (!journal.isEmpty()) {
            synced = now.copy();
            journal.clear();
        }
    }

    @Override
    public void cut(Random random) {
        int kept = random.nextInt(journal.size() + 1);
        now = synced.copy();
        journal.subList(0, kept).forEach(change -> change.apply(now));
        journal.clear();
        synced = now.copy();
    }

    @Override
    public void forgetIntents() {
        now.intents.clear();
        journal.clear();
        synced = now.copy();
    }
}
