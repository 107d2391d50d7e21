package dev.sluice.common.s3.config;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/// When a lifecycle rule lets an object expire.
public sealed interface Expiry {
    Duration DAY = Duration.ofDays(1);

    /// The last day that HTTP can name.
    Instant LAST = Instant.parse("9999-12-31T00:00:00Z");

    /// @param modified when the object was written
    /// @param day how long a day of the rules is: shorter in tests, which need not wait then
    Instant of(Instant modified, Duration day);

    /// So many days after it was written, then the next midnight UTC, as S3 rounds it; a time at midnight stands.
    /// Days of another length than 24 hours are not rounded.
    record Days(int days) implements Expiry {
        public Days {
            if (days < 1) {
                throw new IllegalArgumentException("objects expire after at least 1 day, not " + days);
            }
        }

        @Override
        public Instant of(Instant modified, Duration day) {
            var due = modified.plus(day.multipliedBy(days));
            if (due.isAfter(LAST)) {
                return LAST;
            }
            if (!day.equals(DAY)) {
                return due;
            }
            var midnight = due.truncatedTo(ChronoUnit.DAYS);
            return midnight.equals(due) ? due : midnight.plus(DAY);
        }
    }

    /// At one instant, whenever it was written; what is written later expires at once.
    record Date(Instant at) implements Expiry {
        @Override
        public Instant of(Instant modified, Duration day) {
            return at;
        }
    }
}
