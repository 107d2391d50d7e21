package dev.sluice.targetnode.replica.core.sim;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/// Messages are delayed, lost, doubled and overtaken; pairs of nodes are cut off, in one direction or both.
final class Network {
    private final Sim sim;
    double loss;
    private final Map<String, Integer> blocked = new HashMap<>();
    private double disturbed = -9999;

    Network(Sim sim, double loss) {
        this.sim = sim;
        this.loss = loss;
    }

    private static String pair(String from, String to) {
        return from + ">" + to;
    }

    boolean isBlocked(String from, String to) {
        return !blocked.isEmpty() && blocked.containsKey(pair(from, to));
    }

    /// Looks whether targets may not hear each other now, or could not be put right since.
    void tick() {
        boolean waits = wasDisturbed()
                && (sim.log().busyUntil > sim.now() || sim.log().leader().isEmpty());
        if (!blocked.isEmpty() || loss > .05 || waits) {
            disturbed = sim.now();
        }
    }

    /// Whether they may not have heard each other in the last seconds.
    boolean wasDisturbed() {
        return sim.now() - disturbed <= 2500;
    }

    boolean touches(String node) {
        return blocked.keySet().stream().anyMatch(pair -> pair.startsWith(node + ">") || pair.endsWith(">" + node));
    }

    boolean isCutFromControllers(String node) {
        return blocked.keySet().stream().anyMatch(pair -> pair.startsWith(node + ">c") || pair.matches("c.>" + node));
    }

    Set<String> block(String from, Iterable<String> to, boolean bothWays) {
        var cut = pairs(from, to, bothWays);
        block(cut);
        return cut;
    }

    void block(Set<String> cut) {
        cut.forEach(pair -> blocked.merge(pair, 1, Integer::sum));
    }

    Set<String> pairs(Iterable<String> some, Iterable<String> others) {
        var cut = new HashSet<String>();
        some.forEach(from -> cut.addAll(pairs(from, others, true)));
        return cut;
    }

    Set<String> pairs(String from, Iterable<String> to, boolean bothWays) {
        var cut = new HashSet<String>();
        for (var other : to) {
            if (!other.equals(from)) {
                cut.add(pair(from, other));
                if (bothWays) {
                    cut.add(pair(other, from));
                }
            }
        }
        return cut;
    }

    void unblock(Set<String> cut) {
        cut.forEach(pair -> blocked.computeIfPresent(pair, (_, times) -> times == 1 ? null : times - 1));
    }

    void heal() {
        blocked.clear();
        loss = 0;
    }

    /// To a target: lost when its process does not run, kept when it is frozen.
    void toTarget(String from, String to, Consumer<Target> message) {
        send(from, to, () -> sim.target(to).deliver(message), true);
    }

    /// @param refused what happens when nothing listens there
    void request(String from, String to, Consumer<Target> message, Runnable refused) {
        send(
                from,
                to,
                () -> {
                    var target = sim.target(to);
                    if (target.isUp()) {
                        target.deliver(message);
                    } else {
                        refused.run();
                    }
                },
                false);
    }

    void send(String from, String to, Runnable delivery, boolean mayDouble) {
        var random = sim.random();
        if (!from.equals(to) && (isBlocked(from, to) || random.nextDouble() < loss)) {
            return;
        }
        double delay = from.equals(to)
                ? .05
                : random.nextDouble() < .96 ? sim.uniform(.3, 4) : sim.uniform(4, sim.isQuiet() ? 20 : 700);
        sim.after(delay, delivery);
        if (mayDouble && random.nextDouble() < .02) {
            sim.after(delay + sim.uniform(0, 900), delivery);
        }
    }
}
