package dev.sluice.cli.cluster;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;

/// What the operating system said, in words.
final class Reasons {
    private Reasons() {}

    static String of(IOException failure) {
        return switch (failure) {
            case AccessDeniedException denied -> "no permission to write " + denied.getFile();
            case FileAlreadyExistsException file -> file.getFile() + " is a file, not a folder";
            case FileSystemException other when other.getReason() != null -> other.getFile() + ": " + other.getReason();
            default -> String.valueOf(failure.getMessage());
        };
    }
}
