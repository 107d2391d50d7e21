/// What reads are answered.
@NullMarked
package dev.sluice.targetnode.answer;

import org.jspecify.annotations.NullMarked;
