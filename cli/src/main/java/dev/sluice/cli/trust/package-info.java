/// Whom the commands believe when a server shows its certificate. Open Trust. May depend on common only.
@NullMarked
package dev.sluice.cli.trust;

import org.jspecify.annotations.NullMarked;
