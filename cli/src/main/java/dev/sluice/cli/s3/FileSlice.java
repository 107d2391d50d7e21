package dev.sluice.cli.s3;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.function.LongConsumer;

/// A part of a file as the body of a request, read while it is sent.
record FileSlice(Path file, long start, long length, LongConsumer sent) {

    BodyPublisher body() {
        if (length == 0) {
            return BodyPublishers.noBody();
        }
        return BodyPublishers.fromPublisher(BodyPublishers.ofInputStream(this::open), length);
    }

    private InputStream open() {
        try {
            var channel = FileChannel.open(file).position(start);
            return new Bounded(Channels.newInputStream(channel));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private final class Bounded extends FilterInputStream {
        private long left = length;

        Bounded(InputStream stream) {
            super(stream);
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int count) throws IOException {
            if (left == 0) {
                return -1;
            }
            var read = super.read(bytes, offset, (int) Math.min(count, left));
            if (read > 0) {
                left -= read;
                sent.accept(read);
            }
            return read;
        }
    }
}
