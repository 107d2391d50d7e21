package dev.sluice.proxy;

/// Marks a request that another node has relayed already: whoever gets it serves it or says why not, so that two nodes
/// with different maps cannot play ball with it.
final class Hop {
    static final String HEADER = "x-sluice-hop";

    private Hop() {}
}
