import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.logging.LogManager;
import java.util.stream.Collectors;
import org.apache.pdfbox.preflight.PreflightDocument;
import org.apache.pdfbox.preflight.parser.PreflightParser;

/** Reads paths, one a line, and answers each with a line: the rules of PDF/A-1b that the file breaks, none if it is valid. */
public class Preflight {
  public static void main(String[] arguments) throws IOException {
    LogManager.getLogManager().reset();
    BufferedReader paths = new BufferedReader(new InputStreamReader(System.in));
    for (String path = paths.readLine(); path != null; path = paths.readLine()) System.out.println(broken(new File(path)));
  }

  private static String broken(File file) {
    try {
      PreflightParser parser = new PreflightParser(file);
      parser.parse();
      try (PreflightDocument document = parser.getPreflightDocument()) {
        document.validate();
        return document.getResult().getErrorsList().stream()
            .map(error -> error.getErrorCode() + " " + error.getDetails().replaceAll("\\s+", " "))
            .distinct()
            .sorted()
            .collect(Collectors.joining("; "));
      }
    } catch (IOException | RuntimeException | StackOverflowError failure) {
      return failure.toString().replaceAll("\\s+", " ");
    }
  }
}
