package dev.sluice.common.http.engine;

import io.netty.channel.DefaultFileRegion;
import java.nio.channels.FileChannel;

/// A part of an open file for the kernel to send. Does not own the file: one stays open for many answers.
final class SentRange extends DefaultFileRegion {
    SentRange(FileChannel file, long position, long count) {
        super(file, position, count);
    }

    @Override
    protected void deallocate() {}
}
