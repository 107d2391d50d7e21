package dev.sluice.common.http.engine;

/// An answer under way that lasts longer than one write. Event loop only.
interface Sending {
    /// The client is gone, or no more may be sent to it.
    void disconnected();

    /// Whether its client may take nothing for minutes: it holds nothing that is short.
    boolean mayPause();

    default void writabilityChanged() {}

    default void tick(long now) {}
}
