package dev.sluice.common.http;

import java.time.Instant;
import java.time.LocalDate;

/// Dates as HTTP writes them: `Sun, 06 Nov 1994 08:49:37 GMT`. By hand, because every GET has one and a general
/// formatter costs ten times as much.
public final class HttpDate {
    private static final String[] DAYS = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    private static final String[] MONTHS = {
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"
    };
    private static final int SECONDS_A_DAY = 86_400;

    private HttpDate() {}

    /// @param instant in the years 0 to 9999
    public static String format(Instant instant) {
        long seconds = instant.getEpochSecond();
        var date = LocalDate.ofEpochDay(Math.floorDiv(seconds, SECONDS_A_DAY));
        int second = (int) Math.floorMod(seconds, (long) SECONDS_A_DAY);
        var out = new StringBuilder(29)
                .append(DAYS[date.getDayOfWeek().getValue() - 1])
                .append(", ");
        twoDigits(out, date.getDayOfMonth())
                .append(' ')
                .append(MONTHS[date.getMonthValue() - 1])
                .append(' ');
        twoDigits(out, date.getYear() / 100);
        twoDigits(out, date.getYear() % 100).append(' ');
        twoDigits(out, second / 3600).append(':');
        twoDigits(out, second / 60 % 60).append(':');
        return twoDigits(out, second % 60).append(" GMT").toString();
    }

    private static StringBuilder twoDigits(StringBuilder out, int number) {
        return out.append((char) ('0' + number / 10)).append((char) ('0' + number % 10));
    }
}
