package dev.sluice.targetnode.storage.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.util.HashSet;
import org.junit.jupiter.api.Test;

/// Versions of replicated slots, and those that a target gives by itself.
class VersionsTest {
    private static final long LAST = (1L << 32) - 1;

    @Test
    void replicatedVersionHasTheEpochAndTheIncarnationAndRises() {
        var versions = new Versions();
        versions.startAs(7);
        assertThat(versions.replicated(3)).isEqualTo(new ObjectVersion(3, (7L << 32) | 1));
        assertThat(versions.replicated(2)).isEqualTo(new ObjectVersion(2, (7L << 32) | 2));
        assertThat(versions.replicated(3)).isEqualTo(new ObjectVersion(3, (7L << 32) | 3));
    }

    @Test
    void laterIncarnationGivesGreaterVersionsOfTheSameEpoch() {
        var earlier = new Versions(LAST - 1);
        earlier.startAs(7);
        var later = new Versions();
        later.startAs(8);
        assertThat(later.replicated(3)).isGreaterThan(earlier.replicated(3));
        var greatest = new Versions(LAST - 1);
        greatest.startAs(Integer.MAX_VALUE);
        assertThat(greatest.replicated(3).sequence()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void ownVersionsNeverEqualReplicatedOnes() {
        var versions = new Versions();
        versions.startAs(1);
        versions.startAbove(1L << 33);
        var seen = new HashSet<ObjectVersion>();
        for (int i = 0; i < 1000; i++) {
            var own = versions.next();
            var replicated = versions.replicated(1);
            assertThat(seen.add(own)).isTrue();
            assertThat(seen.add(replicated)).isTrue();
            assertThat(own.isOwn()).isTrue();
            assertThat(own.ownSequence()).isEqualTo(own.sequence());
            assertThat(replicated.isOwn()).isFalse();
            assertThat(replicated.ownSequence()).isZero();
        }
    }

    @Test
    void counterEndsInsteadOfWrapping() {
        var versions = new Versions(LAST - 1);
        versions.startAs(1);
        assertThat(versions.replicated(1).sequence()).isEqualTo((1L << 32) | LAST);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> versions.replicated(1)).isInstanceOf(StoreException.Unavailable.class);
        }
    }

    @Test
    void replicatedVersionNeedsAnIncarnationAndAnEpoch() {
        var versions = new Versions();
        assertThatThrownBy(() -> versions.replicated(1)).isInstanceOf(IllegalStateException.class);
        versions.startAs(1);
        assertThatThrownBy(() -> versions.replicated(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> versions.startAs(1)).isInstanceOf(IllegalStateException.class);
        var before = versions.replicated(5);
        versions.startAs(2);
        assertThat(versions.replicated(5)).isGreaterThan(before);
        assertThatThrownBy(() -> new Versions().startAs(0)).isInstanceOf(IllegalArgumentException.class);
    }
}
