package dev.sluice.cli.node;

/// What all nodes of one JVM have in common: event loops, block cache, metrics. Opaque to the launcher, which makes it
/// before the first node and closes it after the last.
public interface SharedRuntime extends AutoCloseable {
    @Override
    void close();
}
