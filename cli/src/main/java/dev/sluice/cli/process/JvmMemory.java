package dev.sluice.cli.process;

import java.util.List;

/// Limits of a JVM that runs nodes, a 16th of what the machine has for each node. Most of the memory is left to the
/// page cache, from which large objects are served.
public record JvmMemory(long heap, long direct) {
    private static final long MEBIBYTE = 1 << 20;
    private static final long LEAST = 128 * MEBIBYTE;

    /// Enough for thousands of connections, and so what a JVM gets as long as that is at most a quarter of its share.
    private static final long AMPLE = 384 * MEBIBYTE;

    /// More only makes collections rarer.
    private static final long MOST = 4096 * MEBIBYTE;

    /// For the launcher, before a JVM with one node.
    public static void main(String[] arguments) {
        System.out.println(String.join(" ", ofThisMachine(1, 1).flags()));
    }

    /// @param here nodes of the JVM
    /// @param all nodes on the machine
    public static JvmMemory ofThisMachine(int here, int all) {
        return of(MachineMemory.bytes(), here, all);
    }

    public static JvmMemory of(long machine, int here, int all) {
        var share = machine / all * here;
        var least = Math.max(LEAST, Math.min(AMPLE, share / 4));
        var each = Math.clamp(share / 16, least, MOST);
        return new JvmMemory(each, each);
    }

    public List<String> flags() {
        return List.of(
                "-Xmx%dm".formatted(heap / MEBIBYTE), "-XX:MaxDirectMemorySize=%dm".formatted(direct / MEBIBYTE));
    }
}
