package dev.sluice.targetnode.storage.shards;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/// What the headers before a member's own say of it. What was said first counts: an extension encloses those behind it.
final class Extensions {
    private Optional<byte[]> name = Optional.empty();
    private Optional<Long> size = Optional.empty();
    private boolean sparse;
    private int count;

    /// @throws IllegalArgumentException when it is not to be read, or a global header says more than a comment
    void add(TarHeader header, byte[] content) {
        count++;
        if (header.isGlobal()) {
            records(content, Extensions::requireComment);
        } else if (header.isPax()) {
            var pax = new Pax();
            records(content, pax::record);
            name = name.or(pax::calledAs);
            size = size.or(() -> pax.length);
            sparse |= pax.sparse;
        } else if (header.isLongName()) {
            name = name.or(() -> Optional.of(TarHeader.text(content, 0, content.length)));
        }
    }

    private interface Visitor {
        void record(String keyword, byte[] value);
    }

    /// One header's records; of two with one keyword the last one counts.
    private static final class Pax {
        private Optional<byte[]> path = Optional.empty();
        private Optional<byte[]> sparseName = Optional.empty();
        private Optional<Long> length = Optional.empty();
        private boolean sparse;

        void record(String keyword, byte[] value) {
            switch (keyword) {
                case "path" -> path = Optional.of(withoutSlashes(value));
                case "GNU.sparse.name" -> sparseName = Optional.of(withoutSlashes(value));
                case "size" -> length = Optional.of(number(value));
                default -> sparse |= keyword.startsWith("GNU.sparse.");
            }
        }

        Optional<byte[]> calledAs() {
            return sparseName.or(() -> path);
        }
    }

    private static byte[] withoutSlashes(byte[] path) {
        int end = path.length;
        while (end > 0 && path[end - 1] == '/') {
            end--;
        }
        return Arrays.copyOf(path, end);
    }

    private static void requireComment(String keyword, byte[] value) {
        if (!keyword.equals("comment")) {
            throw new IllegalArgumentException(
                    "a global header sets '%s' for all members that follow, which is not served".formatted(keyword));
        }
    }

    /// Each is `LENGTH KEYWORD=VALUE\n`, its length in decimal and with all of it.
    private static void records(byte[] content, Visitor visitor) {
        int at = 0;
        while (at < content.length && content[at] != 0) {
            int space = indexOf(content, ' ', at, content.length);
            long length = number(Arrays.copyOfRange(content, at, space));
            int end = (int) Math.min(content.length, at + length);
            int equals = indexOf(content, '=', space, end);
            if (length > content.length - at || content[end - 1] != '\n') {
                throw new IllegalArgumentException("a pax record is cut off");
            }
            visitor.record(
                    new String(content, space + 1, equals - space - 1, StandardCharsets.UTF_8),
                    Arrays.copyOfRange(content, equals + 1, end - 1));
            at = end;
        }
    }

    private static int indexOf(byte[] bytes, char wanted, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] == wanted) {
                return i;
            }
        }
        throw new IllegalArgumentException("a pax record has no '%s'".formatted(wanted));
    }

    private static long number(byte[] digits) {
        try {
            long value = Long.parseLong(new String(digits, StandardCharsets.ISO_8859_1));
            if (value >= 0) {
                return value;
            }
        } catch (NumberFormatException _) {
            // Said below, like a negative number.
        }
        throw new IllegalArgumentException("a pax record has a number that is none");
    }

    int count() {
        return count;
    }

    Optional<byte[]> name() {
        return name;
    }

    Optional<Long> size() {
        return size;
    }

    boolean isSparse() {
        return sparse;
    }
}
