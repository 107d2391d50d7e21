package dev.sluice.targetnode.controller.raft;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// Distinct numbers in the order in which they were first added: an entry is a number, and bytes that only
/// make it longer.
final class NumberMachine implements Machine {
    private final Set<Long> numbers = new LinkedHashSet<>();

    static byte[] entry(long number, int bytes) {
        return ByteBuffer.allocate(bytes).putLong(0, number).array();
    }

    synchronized List<Long> numbers() {
        return List.copyOf(numbers);
    }

    @Override
    public synchronized byte[] apply(byte[] entry) {
        return new byte[] {(byte) (numbers.add(ByteBuffer.wrap(entry).getLong()) ? 1 : 0)};
    }

    @Override
    public synchronized byte[] snapshot() {
        var bytes = ByteBuffer.allocate(numbers.size() * Long.BYTES);
        numbers.forEach(bytes::putLong);
        return bytes.array();
    }

    @Override
    public synchronized void restore(byte[] snapshot) {
        Collection<Long> restored = new ArrayList<>();
        for (var bytes = ByteBuffer.wrap(snapshot); bytes.hasRemaining(); ) {
            restored.add(bytes.getLong());
        }
        numbers.clear();
        numbers.addAll(restored);
    }
}
