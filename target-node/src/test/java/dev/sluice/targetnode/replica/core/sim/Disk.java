package dev.sluice.targetnode.replica.core.sim;

import dev.sluice.targetnode.storage.record.ObjectVersion;
import dev.sluice.targetnode.storage.record.Slice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A drive: its store, its condition, and the staged bytes of the process that has it.
final class Disk {
    final String id;
    final Store store = new MemoryStore();
    boolean alive = true;

    /// Exchanged for a blank one: it does not come back.
    boolean exchanged;

    boolean full;
    boolean lossy;

    /// Its loop and its changes stand still.
    boolean hangs;

    /// The version of the map that its loop has applied, and until when it has a lease by that.
    int applied;
    double lease;

    /// What they do when they go on.
    final List<Runnable> held = new ArrayList<>();

    /// Changes that were ordered and are neither done nor have failed.
    int ordered;

    /// Since when its target sees it stand still.
    Optional<Double> standsSince = Optional.empty();

    /// Its target has ended its loop for good, and begins no other one yet.
    boolean ended;

    /// The mark that nothing written in this boot is lost.
    boolean kept;

    /// Counts how often it left while its process ran.
    int life;

    /// Counts its loops in this life of the process.
    int loop;

    /// Under which it was announced to the log in this life.
    String nonce = "";

    /// Of its cores; 0 while it has none.
    int incarnation;

    /// Bytes by version, as they came with prepares and pulls.
    final Map<ObjectVersion, String> staged = new HashMap<>();

    /// Positions of slices by the value of their write, as they came with a body or were made from others.
    final Map<String, Integer> slices = new HashMap<>();

    /// Slices of prepared writes that nobody can make.
    final Set<Slice> refusing = new HashSet<>();

    /// When the last change that was ordered will be in the store.
    double busyUntil;

    Disk(String id) {
        this.id = id;
    }

    /// Now, or when it goes on.
    void run(Runnable step) {
        if (hangs) {
            held.add(step);
        } else {
            step.run();
        }
    }

    void goOn() {
        hangs = false;
        var steps = List.copyOf(held);
        held.clear();
        steps.forEach(Runnable::run);
    }

    /// Its loop ends, and what was staged for it goes.
    void unstage() {
        staged.clear();
        slices.clear();
        refusing.clear();
    }

    /// Its process ends.
    void forget() {
        held.clear();
        ordered = 0;
        applied = 0;
        lease = 0;
        ended = false;
        standsSince = Optional.empty();
    }

    /// Its process announces it, and has no cores of it yet.
    void announced(String as) {
        nonce = as;
        incarnation = 0;
    }
}
