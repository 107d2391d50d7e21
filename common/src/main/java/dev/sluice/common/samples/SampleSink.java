package dev.sluice.common.samples;

import dev.sluice.common.http.ByteSink;
import java.io.IOException;

/// Where a batch's samples go.
public interface SampleSink {
    /// Of a sample its bytes follow, all of them.
    void frame(SampleFrame frame) throws IOException;

    /// Where they go.
    ByteSink bytes();
}
