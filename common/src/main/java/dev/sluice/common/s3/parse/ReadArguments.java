package dev.sluice.common.s3.parse;

import java.util.ArrayList;

/// What the query of a GET says about its answer, as one text: a redirect's token is for that answer only.
public final class ReadArguments {
    private ReadArguments() {}

    /// The same however a client writes and orders the parameters; empty when there are none.
    ///
    /// @param query still percent-encoded
    public static String of(String query) {
        var parsed = Query.parse(query);
        var arguments = new ArrayList<String>();
        for (int i = 0; i < parsed.size(); i++) {
            var name = parsed.name(i);
            if (name.startsWith("response-") || name.equals("partNumber") || name.equals("versionId")) {
                arguments.add(name + "=" + parsed.value(i));
            }
        }
        arguments.sort(null);
        return String.join("\n", arguments);
    }
}
