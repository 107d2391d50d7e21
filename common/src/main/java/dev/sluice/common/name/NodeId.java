package dev.sluice.common.name;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.regex.Pattern;

/// The name of one node, unique in its cluster and forever: letters and digits, at least eight of them (AIStore's
/// clients ask for that).
public record NodeId(@JsonValue String value) implements Comparable<NodeId> {
    private static final Pattern LEGAL = Pattern.compile("[A-Za-z0-9_-]{8,64}");

    public NodeId {
        if (!LEGAL.matcher(value).matches()) {
            throw new IllegalArgumentException("node id '" + value + "' is not 8 to 64 letters, digits, '_' or '-'");
        }
    }

    @Override
    public int compareTo(NodeId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
