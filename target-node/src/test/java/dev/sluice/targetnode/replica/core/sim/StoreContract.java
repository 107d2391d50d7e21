package dev.sluice.targetnode.replica.core.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.targetnode.replica.core.KeyRange;
import dev.sluice.targetnode.replica.core.KeyVersion;
import dev.sluice.targetnode.replica.core.OpenIntent;
import dev.sluice.targetnode.storage.record.ObjectKey;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// What the core relies on in every store. One class for each store extends it.
abstract class StoreContract {
    private static final ObjectKey A = new ObjectKey(1, "a");
    private static final ObjectKey B = new ObjectKey(1, "b");
    private static final ObjectKey C = new ObjectKey(1, "c");
    private static final ObjectKey OTHER_SLOT = new ObjectKey(2, "a");
    private static final ObjectVersion V1 = new ObjectVersion(1, 1);
    private static final ObjectVersion V2 = new ObjectVersion(1, 2);
    private static final ObjectVersion V3 = new ObjectVersion(2, 1);

    abstract Store open();

    private static Store.Intent put(ObjectVersion version) {
        return new Store.Intent(version, false, "bytes of " + version);
    }

    private static Store.Intent deletion(ObjectVersion version) {
        return new Store.Intent(version, true, "");
    }

    private static Store.Row row(ObjectVersion version) {
        return new Store.Row(version, "bytes of " + version);
    }

    private static void commit(Store store, ObjectKey key, Store.Intent intent) {
        store.prepare(key, intent);
        store.settle(key, intent.version(), true);
    }

    @Test
    void preparedWriteIsOpenAndNotVisible() {
        var store = open();
        store.prepare(A, put(V1));
        assertThat(store.row(A)).isEmpty();
        assertThat(store.intent(A)).contains(put(V1));
        assertThat(store.intents(0)).containsExactly(new OpenIntent(A, V1, false, 0));
        assertThat(store.intents(1)).isEmpty();
    }

    @Test
    void commitShowsThePutAndEndsTheIntent() {
        var store = open();
        commit(store, A, put(V1));
        assertThat(store.row(A)).contains(row(V1));
        assertThat(store.intents(0)).isEmpty();
    }

    @Test
    void commitOfADeletionRemovesTheRow() {
        var store = open();
        commit(store, A, put(V1));
        store.prepare(A, deletion(V2));
        assertThat(store.row(A)).contains(row(V1));
        assertThat(store.settle(A, V2, true)).isTrue();
        assertThat(store.row(A)).isEmpty();
    }

    @Test
    void deletionIsAnIntentAlsoWithoutARow() {
        var store = open();
        store.prepare(A, deletion(V1));
        assertThat(store.intents(0)).containsExactly(new OpenIntent(A, V1, true, 0));
    }

    @Test
    void abortLeavesTheRow() {
        var store = open();
        commit(store, A, put(V1));
        store.prepare(A, put(V2));
        store.settle(A, V2, false);
        assertThat(store.row(A)).contains(row(V1));
        assertThat(store.intent(A)).isEmpty();
    }

    @Test
    void settlingAnotherVersionChangesNothing() {
        var store = open();
        store.prepare(A, put(V2));
        assertThat(store.settle(A, V1, true)).isFalse();
        assertThat(store.settle(B, V1, true)).isFalse();
        assertThat(store.row(A)).isEmpty();
        assertThat(store.intent(A)).contains(put(V2));
    }

    @Test
    void pulledRowReplacesOlderAndNewer() {
        var store = open();
        commit(store, A, put(V2));
        store.put(A, row(V1));
        assertThat(store.row(A)).contains(row(V1));
        store.put(A, row(V3));
        assertThat(store.row(A)).contains(row(V3));
    }

    @Test
    void pulledRowLeavesTheOpenIntent() {
        var store = open();
        store.prepare(A, put(V3));
        store.put(A, row(V1));
        assertThat(store.intent(A)).contains(put(V3));
        store.settle(A, V3, true);
        assertThat(store.row(A)).contains(row(V3));
    }

    @Test
    void onlyTheNamedVersionIsDeleted() {
        var store = open();
        commit(store, A, put(V2));
        store.deleteRow(A, V1);
        assertThat(store.row(A)).contains(row(V2));
        store.deleteRow(A, V2);
        assertThat(store.row(A)).isEmpty();
    }

    @Test
    void pagesCoverTheRangeInOrder() {
        var store = open();
        List.of(C, A, B, OTHER_SLOT).forEach(key -> commit(store, key, put(V1)));
        var first = store.page(0, KeyRange.ALL, 2);
        assertThat(first.rows()).containsExactly(new KeyVersion(A, V1, 0), new KeyVersion(B, V1, 0));
        assertThat(first.range()).isEqualTo(new KeyRange(Optional.empty(), Optional.of(B)));
        var rest = store.page(0, first.range().rest(), 2);
        assertThat(rest.rows()).containsExactly(new KeyVersion(C, V1, 0));
        assertThat(rest.range()).isEqualTo(new KeyRange(Optional.of(B), Optional.empty()));
        var bounded = store.page(0, new KeyRange(Optional.of(A), Optional.of(B)), 2);
        assertThat(bounded.rows()).containsExactly(new KeyVersion(B, V1, 0));
        assertThat(bounded.range().last()).contains(B);
    }

    @Test
    void syncedChangesSurviveAPowerCut() {
        var store = open();
        commit(store, A, put(V1));
        store.prepare(B, put(V2));
        store.sync();
        store.cut(new Random(1));
        assertThat(store.row(A)).contains(row(V1));
        assertThat(store.intent(B)).contains(put(V2));
        assertThat(store.survives(A, new Slice(V1, 0), false)).isTrue();
        assertThat(store.survives(B, new Slice(V2, 0), false)).isTrue();
    }

    /// Each change is whole: a committed write is never both row and intent, nor neither.
    @Test
    void powerCutLeavesAPrefixOfWhatWasNotSynced() {
        var left = new ArrayList<String>();
        for (int seed = 0; seed < 50; seed++) {
            var store = open();
            store.prepare(A, put(V1));
            store.sync();
            store.settle(A, V1, true);
            store.prepare(A, put(V2));
            store.cut(new Random(seed));
            left.add(store.row(A).isPresent() + " " + store.intent(A).map(Store.Intent::version));
        }
        assertThat(left)
                .containsOnly("false " + Optional.of(V1), "true " + Optional.empty(), "true " + Optional.of(V2));
    }
}
