package dev.sluice.targetnode.controller.files;

import java.util.List;
import java.util.Set;

/// The drives of the controller's node.
public interface StateDrives {
    /// Those that the node has now, also the ones that are not there. Asked at each save.
    List<StateDrive> now();

    /// The ids of drives that an operator declared lost, when the node started.
    Set<String> lost();
}
