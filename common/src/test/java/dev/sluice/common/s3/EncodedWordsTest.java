package dev.sluice.common.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EncodedWordsTest {
    /// The first four are what S3 was seen to return.
    @ParameterizedTest
    @CsvSource({
        "ÄMÄZÕÑ S3, =?UTF-8?B?w4PChE3Dg8KEWsODwpXDg8KRIFMz?=",
        "Miniö, =?UTF-8?Q?Mini=C3=83=C2=B6?=",
        "ö, =?UTF-8?B?w4PCtg==?=",
        "AMAZONS3, AMAZONS3",
        "a=b_c? é, =?UTF-8?Q?a=3Db=5Fc=3F_=C3=83=C2=A9?=",
    })
    void bytesBeyondAsciiAreReturnedAsWords(String sent, String returned) {
        assertThat(EncodedWords.returned(onTheWire(sent))).isEqualTo(returned);
    }

    @ParameterizedTest
    @CsvSource({
        "=?UTF-8?B?5pel5pys?=, 日本",
        "=?utf-8?q?caf=c3=a9_au_lait?=, café au lait",
        "=?ISO-8859-1?Q?caf=E9?=, café",
        "=?US-ASCII?Q?plain?=, plain",
        "a =?UTF-8?Q?b?= =?UTF-8?Q?c?= d  e, a bc d  e",
    })
    void wordsAreDecodedWhenSent(String sent, String text) {
        assertThat(EncodedWords.decoded(sent)).isEqualTo(text);
        assertThat(EncodedWords.decoded(EncodedWords.returned(sent))).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "=?",
                "=??=",
                "=???=",
                "=????=",
                "=?UTF-8?B?",
                "=?UTF-8?B??=",
                "=?UTF-8?Q??= =?UTF-8?Q??=",
                "=?UTF-8?B?*?=",
                "=?UTF-8?B?/w==?=",
                "=?UTF-8?Q?=C3?=",
                "=?UTF-8?Q?=0x?=",
                "=?UTF-8?Q?=?=",
                "=?UTF-8?X?a?=",
                "=?UTF-7?Q?a?=",
                "=?UTF-8?Q?a?=b",
                "a=?UTF-8?Q?a?=",
                "x = y ?",
            })
    void whatIsNoWordStaysAsItWasSent(String value) {
        assertThat(EncodedWords.returned(value)).isEqualTo(value);
    }

    @Test
    void aWordThatHidesALineBreakIsReturnedAsAWord() {
        assertThat(EncodedWords.returned("=?UTF-8?B?YQ0KYg==?=")).isEqualTo("=?UTF-8?B?YQ0KYg==?=");
    }

    /// Who reads a header drops the white space around its value.
    @ParameterizedTest
    @CsvSource({
        "=?UTF-8?Q?_lead?=, =?UTF-8?Q?_lead?=",
        "=?UTF-8?B?dHJhaWwg?=, =?UTF-8?Q?trail_?=",
        "=?UTF-8?Q?=09tab?=, =?UTF-8?Q?=09tab?=",
        "=?UTF-8?Q?_?=, =?UTF-8?Q?_?=",
        "=?UTF-8?Q?in_side?=, in side",
    })
    void whiteSpaceAroundTheTextIsReturnedInAWord(String sent, String returned) {
        assertThat(EncodedWords.returned(sent)).isEqualTo(returned);
        assertThat(EncodedWords.returned(returned)).isEqualTo(returned);
    }

    @Test
    void whatEveryReaderTakesAsItIsIsPlain() {
        assertThat(List.of("", "a", "a b", "a\tb", "= ?", "~")).allMatch(EncodedWords::isPlain);
        assertThat(List.of("caf\u00E9", "=?UTF-8?Q?a?=", "a=?b", " a", "a\t", "\u007F"))
                .noneMatch(EncodedWords::isPlain);
    }

    /// Each word once looked for its end through all of the value.
    @Test
    @Timeout(2)
    void manyWordsThatAreNoneTakeTimeInProportion() {
        var value = "a ".repeat(400_000);
        assertThat(EncodedWords.decoded(value + "=?")).isEqualTo(value + "=?");
    }

    @Test
    void anyTextOfAnyLengthComesBackInWordsOf75Characters() {
        var random = new Random(26);
        for (int length = 1; length < 400; length++) {
            var text = random.ints(length, 0x20, 0x1_F640)
                    .filter(c -> c < 0xD800 || c > 0xDFFF)
                    .map(c -> random.nextInt(3) == 0 ? c : 'a' + c % 26)
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .append('é')
                    .toString();
            var returned = EncodedWords.returned(text);
            assertThat(returned.split(" "))
                    .as(text)
                    .allMatch(word -> word.length() <= 75 && word.startsWith("=?UTF-8?"));
            assertThat(EncodedWords.decoded(returned)).isEqualTo(text);
            assertThat(EncodedWords.returned(returned)).isEqualTo(returned);
        }
    }

    private static String onTheWire(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }
}
