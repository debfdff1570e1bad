import com.example.links.FingerpostEngine;
import java.nio.file.Files;
import java.nio.file.Path;

/** Main TENANT.json REQUESTS: prints the answer of each line of REQUESTS, through JNI. */
public final class Main {
    public static void main(String[] arguments) throws Exception {
        byte[] tenant = Files.readAllBytes(Path.of(arguments[0]));
        FingerpostEngine closed;
        try (FingerpostEngine engine = new FingerpostEngine(tenant)) {
            closed = engine;
            for (String request : Files.readAllLines(Path.of(arguments[1]))) {
                System.out.write((engine.resolve(request) + "\n").getBytes("UTF-8"));
            }
        }
        System.out.flush();
        require(closed.resolve("{}").contains("no_engine"), "a closed engine has an error");
        try {
            new FingerpostEngine("{}".getBytes("UTF-8")).close();
            require(false, "a wrong document is refused");
        } catch (IllegalArgumentException error) {
            require(error.getMessage().contains("'formatVersion' is missing"), error.getMessage());
        }
    }

    private static void require(boolean holds, String what) {
        if (holds) return;
        System.err.println("Main.java: " + what);
        System.exit(1);
    }
}
