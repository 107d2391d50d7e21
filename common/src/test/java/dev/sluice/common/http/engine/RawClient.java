package dev.sluice.common.http.engine;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/// A client that sends exactly the bytes a test wants and reads answers strictly.
final class RawClient implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    /// Status line and fields, and the body without its framing.
    static final class Answer {
        private final String head;
        private final byte[] body;

        private Answer(String head, byte[] body) {
            this.head = head;
            this.body = body;
        }

        String head() {
            return head;
        }

        byte[] body() {
            return body;
        }

        int status() {
            return Integer.parseInt(head.substring(9, 12));
        }

        String text() {
            return new String(body, StandardCharsets.ISO_8859_1);
        }

        Optional<String> field(String name) {
            return head.lines()
                    .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name.toLowerCase(Locale.ROOT) + ":"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst();
        }
    }

    RawClient(InetSocketAddress address) throws IOException {
        this(address, 0);
    }

    /// @param receiveBuffer the kernel's, or 0 for its own choice
    RawClient(InetSocketAddress address, int receiveBuffer) throws IOException {
        socket = new Socket();
        if (receiveBuffer > 0) {
            socket.setReceiveBufferSize(receiveBuffer);
        }
        socket.setSoTimeout(10_000);
        socket.connect(address);
        in = new BufferedInputStream(socket.getInputStream(), 64 << 10);
        out = socket.getOutputStream();
    }

    RawClient send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    RawClient send(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
        return this;
    }

    Socket socket() {
        return socket;
    }

    String readHead() throws IOException {
        var head = new ByteArrayOutputStream();
        while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
            int each = in.read();
            if (each < 0) {
                throw new EOFException("closed after: " + head.toString(StandardCharsets.ISO_8859_1));
            }
            head.write(each);
        }
        return head.toString(StandardCharsets.ISO_8859_1);
    }

    /// A whole answer, framed as its head says.
    Answer read() throws IOException {
        return read(true);
    }

    /// The answer to HEAD: no body whatever its head says.
    Answer readWithoutBody() throws IOException {
        return read(false);
    }

    private Answer read(boolean body) throws IOException {
        var head = new Answer(readHead(), new byte[0]);
        if (!body || head.status() == 204 || head.status() == 304 || head.status() < 200) {
            return head;
        }
        if (head.field("Transfer-Encoding").isPresent()) {
            return new Answer(head.head(), readChunks());
        }
        if (head.field("Content-Length").isPresent()) {
            return new Answer(
                    head.head(),
                    readBytes(Integer.parseInt(head.field("Content-Length").get())));
        }
        return new Answer(head.head(), in.readAllBytes());
    }

    private byte[] readChunks() throws IOException {
        var body = new ByteArrayOutputStream();
        while (true) {
            int size = Integer.parseInt(readLine(), 16);
            body.write(readBytes(size));
            if (!readLine().isEmpty()) {
                throw new IOException("no line end after a chunk");
            }
            if (size == 0) {
                return body.toByteArray();
            }
        }
    }

    private String readLine() throws IOException {
        var line = new StringBuilder();
        for (int each = in.read(); each != '\n'; each = in.read()) {
            if (each < 0) {
                throw new EOFException("closed in a line");
            }
            line.append((char) each);
        }
        return line.toString().stripTrailing();
    }

    byte[] readBytes(int count) throws IOException {
        var bytes = in.readNBytes(count);
        if (bytes.length < count) {
            throw new EOFException("closed after " + bytes.length + " of " + count + " bytes");
        }
        return bytes;
    }

    /// Leaves in a way that cannot be taken for having only stopped to send.
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    /// Everything until the server closes; a reset counts as closed.
    byte[] readToEnd() throws IOException {
        var all = new ByteArrayOutputStream();
        try {
            in.transferTo(all);
        } catch (java.net.SocketException reset) {
            return all.toByteArray();
        }
        return all.toByteArray();
    }

    /// Waits until the server closes without sending more.
    boolean isClosedByServer() throws IOException {
        return readToEnd().length == 0;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
