package dev.sluice.targetnode.storage.files;

import java.io.IOException;
import java.util.Optional;

/// Everything that is done to the files of one drive; tests put faults here. Paths are relative to the drive, with
/// '/' between segments. To be called on a [DriveThread] only. A missing file is
/// a [java.nio.file.NoSuchFileException].
public interface DriveFiles extends AutoCloseable {
    /// A new file to write to and read from.
    DriveFile create(String path) throws IOException;

    /// A small new file that has its name only when it has its bytes and its attribute: nobody ever sees a part of it.
    ///
    /// @return false when nothing was done: something has that name, or the file system has no such way
    /// @throws PathTakenException when a file is on the way to it
    boolean createWhole(String path, byte[] data, byte[] attribute) throws IOException;

    /// An existing file to write to and read from.
    DriveFile edit(String path) throws IOException;

    /// An existing file to read from.
    DriveFile open(String path) throws IOException;

    boolean isFile(String path);

    long size(String path) throws IOException;

    /// Sluice's attribute of a file; empty when the file has none.
    Optional<byte[]> attribute(String path) throws IOException;

    void setAttribute(String path, byte[] value) throws IOException;

    /// Replaces what is there in one step.
    ///
    /// @throws PathTakenException when a folder is at the new name, or a file on the way to it
    void rename(String from, String to) throws IOException;

    /// Makes a folder and those above it.
    ///
    /// @throws PathTakenException when a file is in the way
    void createFolders(String path) throws IOException;

    /// @return whether there was one
    boolean delete(String path) throws IOException;

    /// @return whether the folder is gone; false when something is in it
    boolean deleteFolder(String path) throws IOException;

    /// The names in this folder are on the drive when this returns.
    void syncFolder(String path) throws IOException;

    /// All that was written and named so far is on the drive when this returns. Once it failed, nobody knows what is.
    void syncAll() throws IOException;

    /// The names in a folder; none when there is no such folder.
    FolderWalk walk(String path) throws IOException;

    long freeBytes() throws IOException;

    long totalBytes() throws IOException;

    @Override
    default void close() {}
}
