/// The values that settings have. Open {@link dev.sluice.cli.config.value.ByteSize} first.
@NullMarked
package dev.sluice.cli.config.value;

import org.jspecify.annotations.NullMarked;
