package dev.sluice.targetnode.replica.core.sim;

import dev.sluice.targetnode.storage.record.ObjectVersion;
import java.util.HashMap;
import java.util.Map;

/// A drive: its store, its condition, and the staged bytes of the process that has it.
final class Disk {
    final String id;
    final Store store = new MemoryStore();
    boolean alive = true;
    boolean full;
    boolean lossy;

    /// Counts how often it left while its process ran.
    int life;

    /// Under which it was announced to the log in this life.
    String nonce = "";

    /// Of its cores; 0 while it has none.
    int incarnation;

    /// Bytes by version, as they came with prepares and pulls.
    final Map<ObjectVersion, String> staged = new HashMap<>();

    /// When the last change that was ordered will be in the store.
    double busyUntil;

    Disk(String id) {
        this.id = id;
    }

    /// Its process announces it, and has no cores of it yet.
    void announced(String as) {
        nonce = as;
        incarnation = 0;
    }
}
