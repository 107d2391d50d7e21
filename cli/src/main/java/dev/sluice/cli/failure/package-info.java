/// How a command says that it did not do what it was asked. Depends on nothing.
@NullMarked
package dev.sluice.cli.failure;

import org.jspecify.annotations.NullMarked;
