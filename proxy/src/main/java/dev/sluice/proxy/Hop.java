package dev.sluice.proxy;

/// Marks a request that another node has relayed already: whoever gets it serves it or says why not, so that two nodes
/// with different maps cannot play ball with it. The value is the version of the map by which it was sent.
final class Hop {
    static final String HEADER = "x-sluice-hop";

    private Hop() {}

    /// Of a request that was relayed; 0 when it does not say.
    static long version(String value) {
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException _) {
            return 0;
        }
    }
}
