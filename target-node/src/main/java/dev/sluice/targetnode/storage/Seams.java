package dev.sluice.targetnode.storage;

import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.index.DriveIndex;
import java.nio.file.Path;
import java.util.function.UnaryOperator;

/// Around each drive's files and index, for tests to put faults there.
record Seams(OnFiles files, UnaryOperator<DriveIndex> index) {
    /// Applied whenever a drive's files are opened.
    @FunctionalInterface
    interface OnFiles {
        DriveFiles around(Path drive, DriveFiles files);
    }

    static final Seams NONE = new Seams((_, files) -> files, UnaryOperator.identity());
}
