package dev.sluice.common.http.engine;

/// An answer under way that lasts longer than one write. Event loop only.
interface Sending {
    /// The client is gone, or no more may be sent to it.
    void disconnected();

    /// How short what it holds is, see [dev.sluice.common.http.FileSource#shortage].
    double shortage();

    default void writabilityChanged() {}

    default void tick(long now) {}
}
