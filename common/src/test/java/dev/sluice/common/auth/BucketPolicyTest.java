package dev.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.common.s3.S3Failure;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BucketPolicyTest {
    private static final String READ =
            "'Effect':'Allow','Principal':'*','Action':'s3:GetObject','Resource':'arn:aws:s3:::b/*'";

    @ParameterizedTest
    @ValueSource(
            strings = {
                READ,
                "'Sid':'x','Effect':'Allow','Principal':{'AWS':'*'},'Action':['s3:PutObject','s3:GET*'],"
                        + "'Resource':['arn:aws:s3:::b/*']",
                "'Effect':'Allow','Principal':{'AWS':['*']},'Action':'s3:*','Resource':'arn:aws:s3:::b/p*/?'",
                "'Effect':'Allow','Principal':'*','Action':'*','Resource':'arn:aws:s3:::b/public/x'",
            })
    void anyoneMayReadWhatIsAllowed(String statement) {
        var policy = policy(statement);
        assertThat(policy.allowsAnonymous("s3:GetObject", "b", "public/x")).isTrue();
        assertThat(policy.allowsAnonymous("s3:GetObject", "b2", "public/x")).isFalse();
        assertThat(policy.allowsAnonymous("s3:DeleteBucket", "b", "")).isFalse();
        assertThat(policy.denies("s3:GetObject", "b", "public/x")).isFalse();
    }

    @Test
    void theBucketIsNotItsObjects() {
        assertThat(policy(READ).allowsAnonymous("s3:ListBucket", "b", "")).isFalse();
        assertThat(policy(READ.replace("GetObject", "ListBucket").replace("b/*", "b"))
                        .allowsAnonymous("s3:ListBucket", "b", ""))
                .isTrue();
        assertThat(policy(READ).allowsAnonymous("s3:PutObject", "b", "x")).isFalse();
        assertThat(BucketPolicy.NONE.allowsAnonymous("s3:GetObject", "b", "x")).isFalse();
    }

    @Test
    void denyWins() {
        var policy = BucketPolicy.parse(
                "b",
                json("{'Version':'2012-10-17','Statement':[{" + READ + "},{"
                        + READ.replace("Allow", "Deny").replace("b/*", "b/secret/*") + "}]}"));
        assertThat(policy.allowsAnonymous("s3:GetObject", "b", "open")).isTrue();
        assertThat(policy.allowsAnonymous("s3:GetObject", "b", "secret/x")).isFalse();
        assertThat(policy.denies("s3:GetObject", "b", "secret/x")).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'Effect':'Allow'|'Effect':'Allow','Condition':{}|NotImplemented|Condition",
                "'Principal':'*'|'NotPrincipal':'*'|NotImplemented|NotPrincipal",
                "'Action'|'NotAction'|NotImplemented|NotAction",
                "'Resource'|'NotResource'|NotImplemented|NotResource",
                "'Principal':'*'|'Principal':{'AWS':'arn:aws:iam::1:root'}|NotImplemented|arn:aws:iam::1:root",
                "'Principal':'*'|'Principal':{'Service':'x'}|NotImplemented|Service",
                "b/*|b/${aws:username}|NotImplemented|${aws:username}",
                "'Allow'|'allow'|MalformedPolicy|Effect",
                "'Principal':'*',||MalformedPolicy|Principal",
                "s3:GetObject|ec2:Run|MalformedPolicy|ec2:Run",
                "b/*|other/*|MalformedPolicy|other",
                "b/*|b*|MalformedPolicy|b*",
                "'Effect':'Allow'|'Effect':'Allow','Extra':1|MalformedPolicy|Extra",
                "'s3:GetObject'|[]|MalformedPolicy|Action",
                "'Effect':'Allow'|'Effect':'Allow','Effect':'Deny'|MalformedPolicy|JSON",
            })
    void whatCannotBeHonouredIsRefusedByName(String part, String instead, String code, String named) {
        assertThat(READ).contains(part);
        var statement = READ.replace(part, instead == null ? "" : instead);
        var failure = catchThrowableOfType(S3Failure.class, () -> policy(statement));
        assertThat(failure).isNotNull();
        assertThat(failure.error().code()).isEqualTo(code);
        assertThat(failure.error().message()).contains(named);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{}",
                "{'Statement':[]}",
                "{'Statement':{}}",
                "{'Version':'1','Statement':{}}",
                "{'Statement':[1]}",
                "{'Statement':[]} x",
                "{"
            })
    void whatIsNoPolicyIsRefused(String document) {
        var failure = catchThrowableOfType(S3Failure.class, () -> BucketPolicy.parse("b", json(document)));
        assertThat(failure).isNotNull();
        assertThat(failure.error().code()).isEqualTo("MalformedPolicy");
    }

    @Test
    void aHostilePatternOrDepthCostsLittle() {
        var pattern = "arn:aws:s3:::b/" + "a*".repeat(2_000) + "b";
        var policy = policy(READ.replace("arn:aws:s3:::b/*", pattern));
        assertThat(policy.allowsAnonymous("s3:GetObject", "b", "a".repeat(1_024)))
                .isFalse();
        assertThat(catchThrowableOfType(S3Failure.class, () -> BucketPolicy.parse("b", json("[".repeat(20_000)))))
                .isNotNull();
    }

    private static BucketPolicy policy(String statement) {
        return BucketPolicy.parse("b", json("{'Version':'2012-10-17','Statement':{" + statement + "}}"));
    }

    private static byte[] json(String text) {
        return text.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    }
}
