package dev.sluice.targetnode.storage.resilver;

import dev.sluice.targetnode.storage.drive.Drive;
import dev.sluice.targetnode.storage.spread.DriveTable;
import java.util.Map;

/// The target as its resilver sees it. Never blocks.
public interface Surroundings {
    DriveTable table();

    /// The drives that can be read now, by id, also those that take no writes.
    Map<String, Drive> readable();
}
