package dev.sluice.targetnode.storage;

import dev.sluice.targetnode.storage.files.DriveFiles;
import dev.sluice.targetnode.storage.index.DriveIndex;
import java.util.function.UnaryOperator;

/// Around each drive's files and index, for tests to put faults there.
record Seams(UnaryOperator<DriveFiles> files, UnaryOperator<DriveIndex> index) {
    static final Seams NONE = new Seams(UnaryOperator.identity(), UnaryOperator.identity());
}
