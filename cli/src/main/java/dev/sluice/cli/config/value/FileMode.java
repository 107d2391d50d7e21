package dev.sluice.cli.config.value;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.regex.Pattern;

/// Who may read the files of a drive, as `chmod` takes it. Folders get x where r is set. Nobody but the owner may be
/// let write: bytes that others change are damage.
public record FileMode(int bits) {
    private static final Pattern FORM = Pattern.compile("06[04][04]");
    private static final int READ = 0444;
    private static final int ALL = 0777;

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public static FileMode parse(String text) {
        if (!FORM.matcher(text).matches()) {
            throw new IllegalArgumentException("'" + text + "' is not one of \"0600\", \"0640\", \"0604\", \"0644\"");
        }
        return new FileMode(Integer.parseInt(text, 8));
    }

    /// What a process takes away from all that it creates, so that files and folders get these modes.
    public int umask() {
        return ALL & ~folderBits();
    }

    public Set<PosixFilePermission> folders() {
        var text = new StringBuilder();
        for (var bit = 8; bit >= 0; bit--) {
            text.append((folderBits() >> bit & 1) == 0 ? '-' : "xwr".charAt(bit % 3));
        }
        return PosixFilePermissions.fromString(text.toString());
    }

    private int folderBits() {
        return bits | (bits & READ) >> 2;
    }

    @JsonValue
    @Override
    public String toString() {
        return "0" + Integer.toOctalString(bits);
    }
}
