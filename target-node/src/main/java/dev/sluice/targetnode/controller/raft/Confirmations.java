package dev.sluice.targetnode.controller.raft;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.ratis.server.leader.LogAppender;

/// Which servers lately took this one for their leader: when the last call was sent that they answered so.
///
/// Ratis has such a round too, but remembers for an index that it was confirmed once, and lets later reads of
/// the same index pass without asking anybody. A leader that was cut off in between would answer with what is
/// no longer so.
final class Confirmations {
    /// @param sent by {@link System#nanoTime}
    private record Answer(long term, long sent) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition answered = lock.newCondition();
    private final Map<String, Answer> answers = new HashMap<>();
    private final Map<String, LogAppender> appenders = new HashMap<>();

    /// The newest one for each server is at work while this server leads.
    void add(LogAppender appender) {
        lock.lock();
        try {
            appenders.put(appender.getFollowerId().toString(), appender);
        } finally {
            lock.unlock();
        }
    }

    void answered(String peer, long term, long sent) {
        lock.lock();
        try {
            answers.put(peer, new Answer(term, sent));
            answered.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /// @param suffices whether these servers are enough
    /// @return whether enough of them answered a call of this term that was sent from now on
    boolean await(Predicate<Set<String>> suffices, long term, Duration patience) throws InterruptedException {
        var start = System.nanoTime();
        lock.lock();
        try {
            triggerHeartbeats();
            var left = patience.toNanos();
            while (!suffices.test(answered(term, start)) && left > 0) {
                left = answered.awaitNanos(left);
            }
            return suffices.test(answered(term, start));
        } finally {
            lock.unlock();
        }
    }

    /// The others learn soon what is committed.
    void tell() {
        lock.lock();
        try {
            triggerHeartbeats();
        } finally {
            lock.unlock();
        }
    }

    private void triggerHeartbeats() {
        appenders.values().forEach(LogAppender::triggerHeartbeat);
    }

    private Set<String> answered(long term, long start) {
        return answers.entrySet().stream()
                .filter(each ->
                        each.getValue().term() == term && each.getValue().sent() - start >= 0)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }
}
