package dev.sluice.targetnode.replica.loop;

import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// The steps that wait for a drive's loop, in two lanes, each in its order. Rows, fences and writes never wait behind
/// what copies old objects, which is much and not urgent. Copying goes on all the same: it gets each eighth turn.
final class Lanes {
    private static final int COPYING_EACH = 8;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final ArrayDeque<Runnable> first = new ArrayDeque<>();
    private final ArrayDeque<Runnable> copying = new ArrayDeque<>();
    private int turn;

    void add(Runnable step) {
        add(first, step, Integer.MAX_VALUE);
    }

    /// @return whether there was room: fewer steps wait in this lane
    boolean addIfFewer(int most, Runnable step) {
        return add(first, step, most);
    }

    void addCopying(Runnable step) {
        add(copying, step, Integer.MAX_VALUE);
    }

    boolean addCopyingIfFewer(int most, Runnable step) {
        return add(copying, step, most);
    }

    private boolean add(ArrayDeque<Runnable> lane, Runnable step, int most) {
        lock.lock();
        try {
            if (lane.size() >= most) {
                return false;
            }
            lane.addLast(step);
            arrived.signal();
            return true;
        } finally {
            lock.unlock();
        }
    }

    int size() {
        return size(first);
    }

    int copyingSize() {
        return size(copying);
    }

    private int size(ArrayDeque<Runnable> lane) {
        lock.lock();
        try {
            return lane.size();
        } finally {
            lock.unlock();
        }
    }

    /// The next step; empty when none came in time. For one thread.
    Optional<Runnable> poll(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = nanos;
            while (first.isEmpty() && copying.isEmpty() && left > 0) {
                left = arrived.awaitNanos(left);
            }
            turn = (turn + 1) % COPYING_EACH;
            boolean copies = first.isEmpty() || (turn == 0 && !copying.isEmpty());
            return Optional.ofNullable((copies ? copying : first).pollFirst());
        } finally {
            lock.unlock();
        }
    }
}
