package dev.sluice.targetnode.controller.judge;

import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.slots.Replication;
import dev.sluice.common.name.NodeId;
import dev.sluice.common.time.NanoClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// What the controllers said of targets, and what the leader logs for it: a target is down, and up again, when a
/// majority says so. Where no majority comes together, those that did report trust it again, unless it is muted:
/// then all report it sooner or later.
///
/// It has no thread and waits for nothing.
public final class Reports {
    /// How long a word counts.
    private static final Duration FRESH = Duration.ofSeconds(1);

    /// How long a minority's report waits for others.
    private static final Duration DOUBT = Duration.ofMillis(800);

    private record Heard(ControllerStatus word, long at) {}

    private record About(NodeId target, long version) {}

    private final NanoClock clock;
    private final int controllers;
    private final Map<NodeId, Heard> words = new HashMap<>();
    private final Map<About, Long> firstSaid = new HashMap<>();

    /// @param controllers how many there are
    public Reports(NanoClock clock, int controllers) {
        this.clock = clock;
        this.controllers = controllers;
    }

    public synchronized void heard(ControllerStatus word) {
        words.put(word.controller(), new Heard(word, clock.nanos()));
    }

    private List<ControllerStatus> fresh() {
        long now = clock.nanos();
        return words.values().stream()
                .filter(heard -> now - heard.at() <= FRESH.toNanos())
                .map(Heard::word)
                .toList();
    }

    private boolean isMajority(int some) {
        return some * 2 > controllers;
    }

    /// What is to be logged now.
    public synchronized List<Command> due(Replication known) {
        var fresh = fresh();
        var due = new ArrayList<Command>();
        var open = new TreeMap<NodeId, Long>();
        var back = new TreeSet<NodeId>();
        fresh.forEach(word -> {
            open.putAll(word.lapsed());
            back.addAll(word.returned().keySet());
        });
        var doubts = open.keySet().stream()
                .flatMap(
                        target -> known
                                .target(target)
                                .filter(entry -> entry.up())
                                .map(entry -> new About(target, entry.version()))
                                .stream())
                .collect(Collectors.toSet());
        doubts.forEach(about -> add(due, about, known, fresh));
        forgetOthers(doubts);
        back.forEach(target -> known.target(target)
                .filter(entry -> !entry.up() && !entry.muted())
                .map(entry -> new Command.Up(target, entry.incarnation()))
                .filter(up -> isMajority((int) fresh.stream()
                        .filter(word -> word.returned().getOrDefault(target, 0) == up.incarnation())
                        .count()))
                .ifPresent(due::add));
        return due;
    }

    private void add(List<Command> due, About about, Replication known, List<ControllerStatus> fresh) {
        var boots = new TreeMap<NodeId, Integer>();
        fresh.stream()
                .filter(word -> word.boot() > 0
                        && word.boot() == known.controllers().getOrDefault(word.controller(), 0)
                        && word.lapsed().getOrDefault(about.target(), -1L) == about.version())
                .forEach(word -> boots.put(word.controller(), word.boot()));
        if (isMajority(boots.size())) {
            due.add(new Command.Down(about.target(), about.version(), boots));
        } else if (!boots.isEmpty()
                && !known.muted().contains(about.target())
                && clock.nanos() - firstSaid.computeIfAbsent(about, _ -> clock.nanos()) > DOUBT.toNanos()) {
            due.add(new Command.Trust(about.target(), about.version()));
        }
    }

    private void forgetOthers(Set<About> doubts) {
        firstSaid.keySet().retainAll(doubts);
    }
}
