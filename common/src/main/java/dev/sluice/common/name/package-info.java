/// The words every module uses: bucket and key, node. Open {@link dev.sluice.common.name.ObjectName} first. Depends
/// on nothing.
@NullMarked
package dev.sluice.common.name;

import org.jspecify.annotations.NullMarked;
