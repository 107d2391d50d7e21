/// Tests of dev.sluice.cli.doctor.
@NullMarked
package dev.sluice.cli.doctor;

import org.jspecify.annotations.NullMarked;
