package dev.sluice.bench.verification;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.ProtectionDomain;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// An agent for a target (`-javaagent:…=FILE`): while FILE is there, the two calls that verify a warm read, `identity`
/// and `isCached` of its `NativeFile`, are left out in turns, and a line of FILE says for each turn whether they were,
/// how many reads there were (`get` of its `HotSet`), and the nanoseconds of processor time of the whole process. One
/// JVM with the same compiled code does both, a moment apart: two JVMs differ by more than these calls cost.
public final class LeftOutInTurns {
    private static final long TURN_MILLIS = 250;
    private static final String NATIVE_FILE = "dev/sluice/targetnode/storage/files/NativeFile";
    private static final String HOT_SET = "dev/sluice/targetnode/storage/hotset/HotSet";
    private static final ClassDesc IDENTITY = ClassDesc.of("dev.sluice.targetnode.storage.files.FileIdentity");
    private static final ClassDesc THIS =
            LeftOutInTurns.class.describeConstable().orElseThrow();
    private static final @Nullable Object[] KNOWN = new Object[1 << 16];
    private static final LongAdder READS = new LongAdder();
    /// Methods to be changed before there are turns: without one of them there are none, nor in nodes that are
    /// no target.
    private static final CountDownLatch UNCHANGED = new CountDownLatch(3);

    private static volatile boolean leftOut;

    private LeftOutInTurns() {}

    /// @param file absolute
    public static void premain(String file, Instrumentation instrumentation) {
        var turns = new Thread(() -> takeTurns(Path.of(file)), "verification-turns");
        turns.setDaemon(true);
        turns.start();
        instrumentation.addTransformer(new ClassFileTransformer() {
            @Override
            public byte @Nullable [] transform(
                    @Nullable ClassLoader loader,
                    String name,
                    @Nullable Class<?> before,
                    @Nullable ProtectionDomain domain,
                    byte[] bytes) {
                return switch (name) {
                    case HOT_SET -> changed(bytes, "get", LeftOutInTurns::counting, CodeBuilder::with);
                    case NATIVE_FILE -> {
                        var once = changed(bytes, "identity", LeftOutInTurns::unlessKnown, LeftOutInTurns::learning);
                        yield changed(once, "isCached", LeftOutInTurns::unlessLeftOut, CodeBuilder::with);
                    }
                    default -> null;
                };
            }
        });
    }

    // ---- what the changed methods call

    public static boolean isLeftOut() {
        return leftOut;
    }

    public static void count() {
        READS.increment();
    }

    /// What is known of an open file, when it is not to be asked for now.
    public static @Nullable Object known(int descriptor) {
        return leftOut ? KNOWN[descriptor] : null;
    }

    public static void learn(Object identity, int descriptor) {
        KNOWN[descriptor] = identity;
    }

    // ---- how they are changed

    private interface EachElement {
        void add(CodeBuilder code, CodeElement element);
    }

    /// One method at a time: of two such transformations in a chain (`andThen`), JDK 25 did neither.
    private static byte[] changed(byte[] bytes, String method, Consumer<CodeBuilder> begin, EachElement each) {
        var body = new CodeTransform() {
            @Override
            public void atStart(CodeBuilder code) {
                begin.accept(code);
                UNCHANGED.countDown();
            }

            @Override
            public void accept(CodeBuilder code, CodeElement element) {
                each.add(code, element);
            }
        };
        var classes = ClassFile.of();
        return classes.transformClass(
                classes.parse(bytes),
                ClassTransform.transformingMethodBodies(
                        found -> found.methodName().equalsString(method), body));
    }

    private static void counting(CodeBuilder code) {
        code.invokestatic(THIS, "count", MethodTypeDesc.of(ConstantDescs.CD_void));
    }

    private static void unlessLeftOut(CodeBuilder code) {
        code.invokestatic(THIS, "isLeftOut", MethodTypeDesc.of(ConstantDescs.CD_boolean))
                .ifThen(then -> then.iconst_1().ireturn());
    }

    private static void unlessKnown(CodeBuilder code) {
        code.iload(0)
                .invokestatic(THIS, "known", MethodTypeDesc.of(ConstantDescs.CD_Object, ConstantDescs.CD_int))
                .dup()
                .ifThen(Opcode.IFNONNULL, then -> then.checkcast(IDENTITY).areturn())
                .pop();
    }

    private static void learning(CodeBuilder code, CodeElement element) {
        if (element instanceof ReturnInstruction) {
            code.dup()
                    .iload(0)
                    .invokestatic(
                            THIS,
                            "learn",
                            MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_Object, ConstantDescs.CD_int));
        }
        code.with(element);
    }

    // ---- the turns

    private static void takeTurns(Path file) {
        var process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        try {
            UNCHANGED.await();
            for (int turn = 0; true; turn++) {
                boolean measured = Files.exists(file);
                leftOut = measured && (turn % 4 == 1 || turn % 4 == 2); // with, without, without, with
                long cpu = process.getProcessCpuTime();
                long reads = READS.sum();
                Thread.sleep(TURN_MILLIS);
                if (measured) {
                    var line =
                            "%b\t%d\t%d%n".formatted(leftOut, READS.sum() - reads, process.getProcessCpuTime() - cpu);
                    Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                }
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException _) {
            leftOut = false;
        }
    }
}
