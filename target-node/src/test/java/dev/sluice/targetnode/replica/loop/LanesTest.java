package dev.sluice.targetnode.replica.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LanesTest {
    private final Lanes lanes = new Lanes();
    private final List<String> done = new ArrayList<>();

    private Runnable step(String name) {
        return () -> done.add(name);
    }

    private void runAll() throws InterruptedException {
        for (var next = lanes.poll(0); next.isPresent(); next = lanes.poll(0)) {
            next.get().run();
        }
    }

    @Test
    void copyingWaitsForAllElseButGetsEachEighthTurn() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            lanes.addCopying(step("copy" + i));
        }
        for (int i = 0; i < 20; i++) {
            lanes.add(step("write" + i));
        }
        runAll();
        assertThat(done.indexOf("copy0")).isEqualTo(7);
        assertThat(done.indexOf("copy1")).isEqualTo(15);
        assertThat(done.getLast()).isEqualTo("copy2");
        assertThat(done.stream().filter(name -> name.startsWith("write")))
                .as("in their order")
                .startsWith("write0", "write1", "write2")
                .hasSize(20);
    }

    @Test
    void eachLaneHasItsOwnBound() throws InterruptedException {
        assertThat(lanes.addIfFewer(1, step("a"))).isTrue();
        assertThat(lanes.addIfFewer(1, step("b"))).isFalse();
        assertThat(lanes.addCopyingIfFewer(1, step("c"))).isTrue();
        assertThat(lanes.addCopyingIfFewer(1, step("d"))).isFalse();
        runAll();
        assertThat(done).containsExactly("a", "c");
    }

    @Test
    void whoWaitsIsWokenByEitherLane() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (boolean copies : new boolean[] {true, false}) {
                var waiting = threads.submit(() -> lanes.poll(TimeUnit.SECONDS.toNanos(20)));
                if (copies) {
                    lanes.addCopying(step("copy"));
                } else {
                    lanes.add(step("write"));
                }
                waiting.get().orElseThrow().run();
            }
        }
        assertThat(done).containsExactly("copy", "write");
        assertThat(lanes.poll(1)).isEqualTo(Optional.empty());
    }
}
