/// Whole clusters judged from outside, through `./sluice` and the clients that people use.
@NullMarked
package dev.sluice.deploy;

import org.jspecify.annotations.NullMarked;
