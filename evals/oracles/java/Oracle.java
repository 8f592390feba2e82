import com.sun.source.tree.*;
import com.sun.source.util.*;
import com.sun.tools.javac.tree.JCTree;
import java.io.IOException;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.lang.model.util.Elements;
import javax.tools.*;

/**
 * Writes the call edges of Java sources as javac attributes them.
 *
 * <pre>
 * java --add-exports jdk.compiler/com.sun.tools.javac.tree=ALL-UNNAMED Oracle.java \
 *     ROOT OUT.jsonl CLASSPATH SOURCE_DIR...
 * </pre>
 *
 * The source folders are relative to the root and are compiled together; CLASSPATH may be empty.
 */
public class Oracle {
  /** A line of a file under the root. */
  record Place(String path, long line, String name) {
    String json() {
      return "{\"path\":" + quote(path) + ",\"line\":" + line + (name == null ? "" : ",\"name\":" + quote(name)) + "}";
    }
  }

  /** A named thing around a reference; a soft one lets the one around it count as the caller too. */
  record Symbol(long line, String name, boolean soft) {}

  final Path root;
  final Trees trees;
  final Elements elements;
  final Map<String, List<ExecutableElement>> methods = new HashMap<>();
  final SortedSet<String> edges = new TreeSet<>();
  final SortedSet<String> sites = new TreeSet<>();
  final SortedSet<String> files = new TreeSet<>();

  Oracle(Path root, JavacTask task) {
    this.root = root;
    this.trees = Trees.instance(task);
    this.elements = task.getElements();
  }

  public static void main(String[] args) throws IOException {
    if (args.length < 4) {
      System.err.println("usage: Oracle.java ROOT OUT.jsonl CLASSPATH SOURCE_DIR...");
      System.exit(1);
    }
    Path root = Path.of(args[0]).toRealPath();
    List<Path> sources = new ArrayList<>();
    for (String folder : Arrays.asList(args).subList(3, args.length)) {
      try (Stream<Path> found = Files.walk(root.resolve(folder))) {
        found.filter(path -> path.toString().endsWith(".java") && !path.endsWith("module-info.java")).sorted().forEach(sources::add);
      }
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> faults = new DiagnosticCollector<>();
    StandardJavaFileManager manager = compiler.getStandardFileManager(faults, null, null);
    List<String> options = new ArrayList<>(List.of("-proc:none", "-Xmaxerrs", "100000", "-nowarn"));
    if (!args[2].isEmpty()) options.addAll(List.of("-classpath", args[2]));
    JavacTask task =
        (JavacTask) compiler.getTask(null, manager, faults, options, null, manager.getJavaFileObjectsFromPaths(sources));
    List<CompilationUnitTree> units = new ArrayList<>();
    task.parse().forEach(units::add);
    task.analyze();
    List<Diagnostic<?>> errors =
        faults.getDiagnostics().stream().filter(each -> each.getKind() == Diagnostic.Kind.ERROR).collect(Collectors.toList());
    errors.stream().limit(20).forEach(each -> System.err.println(each.toString().lines().findFirst().orElse("")));
    System.err.println(sources.size() + " files, " + errors.size() + " errors");
    new Oracle(root, task).run(units, Path.of(args[1]));
  }

  void run(List<CompilationUnitTree> units, Path out) throws IOException {
    for (CompilationUnitTree unit : units) new Survey().scan(unit, null);
    for (CompilationUnitTree unit : units) {
      files.add(relative(unit));
      new Calls(unit).scan(unit, null);
    }
    String base = out.toString().replaceAll("\\.jsonl$", "");
    Files.write(out, edges);
    Files.write(Path.of(base + ".sites.jsonl"), sites);
    String list = files.stream().map(Oracle::quote).collect(Collectors.joining(",\n  "));
    Files.writeString(Path.of(base + ".scope.json"), "{\"root\":" + quote(root.toString()) + ",\"files\":[\n  " + list + "]}\n");
    System.out.println(out + ": " + edges.size() + " edges, " + sites.size() + " call sites, " + files.size() + " files");
  }

  static String quote(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (char each : text.toCharArray()) {
      if (each == '"' || each == '\\') out.append('\\').append(each);
      else if (each < ' ') out.append(String.format("\\u%04x", (int) each));
      else out.append(each);
    }
    return out.append('"').toString();
  }

  String relative(CompilationUnitTree unit) {
    return root.relativize(Path.of(unit.getSourceFile().toUri())).toString().replace('\\', '/');
  }

  static long line(CompilationUnitTree unit, long position) {
    return unit.getLineMap().getLineNumber(position);
  }

  /** Where the name of a declaration stands. */
  static long namePosition(CompilationUnitTree unit, Tree tree) {
    int position = ((JCTree) tree).pos;
    if (!(tree instanceof ClassTree type)) return position;
    try {
      int found = unit.getSourceFile().getCharContent(true).toString().indexOf(type.getSimpleName().toString(), position);
      return found < 0 ? position : found;
    } catch (IOException fault) {
      return position;
    }
  }

  /** The place of an element of these sources, or nothing. A constructor nobody wrote is its class. */
  Optional<Place> place(Element element) {
    if (element == null) return Optional.empty();
    boolean written = elements.getOrigin(element) == Elements.Origin.EXPLICIT;
    if (element.getKind() == ElementKind.CONSTRUCTOR && !written) return place(element.getEnclosingElement());
    TreePath path = trees.getPath(element);
    if (path == null || path.getLeaf() == null) return Optional.empty();
    String name = element.getSimpleName().toString();
    if (element.getKind() == ElementKind.CONSTRUCTOR) name = element.getEnclosingElement().getSimpleName().toString();
    CompilationUnitTree unit = path.getCompilationUnit();
    return Optional.of(new Place(relative(unit), line(unit, namePosition(unit, path.getLeaf())), name));
  }

  /** Methods of these sources that override this one. */
  List<Element> overriders(ExecutableElement method) {
    List<Element> found = new ArrayList<>();
    for (ExecutableElement other : methods.getOrDefault(method.getSimpleName().toString(), List.of())) {
      if (other != method && elements.overrides(other, method, (TypeElement) other.getEnclosingElement())) found.add(other);
    }
    return found;
  }

  /** Gathers every method by name. */
  class Survey extends TreePathScanner<Void, Void> {
    @Override
    public Void visitMethod(MethodTree tree, Void nothing) {
      if (trees.getElement(getCurrentPath()) instanceof ExecutableElement method) {
        methods.computeIfAbsent(method.getSimpleName().toString(), name -> new ArrayList<>()).add(method);
      }
      return super.visitMethod(tree, nothing);
    }
  }

  /** Records every call of a file. */
  class Calls extends TreePathScanner<Void, Void> {
    final CompilationUnitTree unit;
    final SourcePositions positions = trees.getSourcePositions();
    final Deque<Symbol> around = new ArrayDeque<>();

    Calls(CompilationUnitTree unit) {
      this.unit = unit;
    }

    Void inside(Symbol symbol, Runnable work) {
      around.push(symbol);
      work.run();
      around.pop();
      return null;
    }

    Symbol symbol(Tree tree, String name, boolean soft) {
      return new Symbol(line(unit, namePosition(unit, tree)), name, soft);
    }

    @Override
    public Void visitClass(ClassTree tree, Void nothing) {
      String name = tree.getSimpleName().toString();
      if (name.isEmpty()) return super.visitClass(tree, nothing);
      return inside(symbol(tree, name, false), () -> super.visitClass(tree, nothing));
    }

    @Override
    public Void visitMethod(MethodTree tree, Void nothing) {
      Element method = trees.getElement(getCurrentPath());
      if (method != null && elements.getOrigin(method) != Elements.Origin.EXPLICIT) return null;
      boolean maker = tree.getName().contentEquals("<init>") && method != null;
      String name = (maker ? method.getEnclosingElement().getSimpleName() : tree.getName()).toString();
      return inside(symbol(tree, name, false), () -> super.visitMethod(tree, nothing));
    }

    @Override
    public Void visitVariable(VariableTree tree, Void nothing) {
      boolean field = getCurrentPath().getParentPath().getLeaf() instanceof ClassTree;
      boolean named = tree.getInitializer() instanceof LambdaExpressionTree;
      if (!field && !named) return super.visitVariable(tree, nothing);
      return inside(symbol(tree, tree.getName().toString(), true), () -> super.visitVariable(tree, nothing));
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree tree, Void nothing) {
      ExpressionTree select = tree.getMethodSelect();
      String name = select instanceof MemberSelectTree member ? member.getIdentifier().toString() : select.toString();
      long end = positions.getEndPosition(unit, select);
      boolean written = end >= 0 && textAt(end - name.length(), name);
      if (written) {
        Element method = trees.getElement(new TreePath(getCurrentPath(), select));
        boolean maker = name.equals("this") || name.equals("super");
        record(end - name.length(), name, method, maker ? "construct" : "call", List.of());
      }
      return super.visitMethodInvocation(tree, nothing);
    }

    boolean textAt(long position, String wanted) {
      try {
        return unit.getSourceFile().getCharContent(true).toString().startsWith(wanted, (int) position);
      } catch (IOException fault) {
        return false;
      }
    }

    @Override
    public Void visitNewClass(NewClassTree tree, Void nothing) {
      TreePath holder = getCurrentPath().getParentPath();
      Element held = holder.getLeaf() instanceof VariableTree ? trees.getElement(holder) : null;
      boolean constant = held != null && held.getKind() == ElementKind.ENUM_CONSTANT;
      Tree name = tree.getIdentifier();
      if (name instanceof AnnotatedTypeTree annotated) name = annotated.getUnderlyingType();
      if (name instanceof ParameterizedTypeTree generic) name = generic.getType();
      Element type = trees.getElement(TreePath.getPath(unit, name));
      Element maker = trees.getElement(getCurrentPath());
      long end = positions.getEndPosition(unit, name);
      String word = type == null ? name.toString() : type.getSimpleName().toString();
      long at = constant ? positions.getStartPosition(unit, tree) : end - word.length();
      List<Element> also = new ArrayList<>();
      if (type != null) also.add(type);
      if (tree.getClassBody() != null && type instanceof TypeElement named) {
        maker = type;
        for (Element member : named.getEnclosedElements()) if (member.getKind() == ElementKind.CONSTRUCTOR) also.add(member);
      }
      boolean unnamed = type != null && type.getKind().isInterface();
      record(at, word, maker, constant || unnamed ? "implicit" : "construct", also);
      return super.visitNewClass(tree, nothing);
    }

    @Override
    public Void visitMemberReference(MemberReferenceTree tree, Void nothing) {
      long end = positions.getEndPosition(unit, tree);
      Element target = trees.getElement(getCurrentPath());
      record(end - tree.getName().length(), tree.getName().toString(), target, "ref", List.of());
      return super.visitMemberReference(tree, nothing);
    }

    String caller() {
      List<Long> also = new ArrayList<>();
      Symbol first = around.peek();
      if (first == null) return "{\"path\":" + quote(relative(unit)) + ",\"line\":0}";
      for (Symbol symbol : around) {
        if (symbol != first && symbol.line() != first.line()) also.add(symbol.line());
        if (!symbol.soft()) break;
      }
      String place = new Place(relative(unit), first.line(), first.name()).json();
      return also.isEmpty() ? place : place.substring(0, place.length() - 1) + ",\"also\":" + also + "}";
    }

    void record(long position, String name, Element target, String kind, List<Element> alternatives) {
      List<Place> places = new ArrayList<>();
      boolean dynamic = false;
      List<Element> others = new ArrayList<>(alternatives);
      if (target instanceof ExecutableElement method && method.getKind() == ElementKind.METHOD) {
        dynamic = method.getModifiers().contains(Modifier.ABSTRACT);
        others.addAll(overriders(method));
      }
      Optional<Place> first = place(target);
      first.ifPresent(places::add);
      for (Element other : others) place(other).filter(place -> !places.contains(place)).ifPresent(places::add);
      if (first.isEmpty() && !places.isEmpty() && kind.equals("call")) {
        kind = "dispatch";
        dynamic = true;
      }
      boolean known = target != null && target.asType().getKind() != javax.lang.model.type.TypeKind.ERROR;
      String status = !known ? "unknown" : places.isEmpty() ? "external" : kind.equals("dispatch") ? "unknown" : "inside";
      long line = line(unit, position);
      String callees = places.stream().map(Place::json).collect(Collectors.joining(","));
      if (!kind.equals("ref") && !kind.equals("implicit")) {
        sites.add("{\"path\":" + quote(relative(unit)) + ",\"line\":" + line + ",\"col\":" + unit.getLineMap().getColumnNumber(position)
            + ",\"name\":" + quote(name) + ",\"caller\":" + (around.isEmpty() ? 0 : around.peek().line())
            + ",\"status\":" + quote(status) + ",\"callees\":[" + callees + "]}");
      }
      if (places.isEmpty()) return;
      String rest = places.stream().skip(1).map(Place::json).collect(Collectors.joining(","));
      edges.add("{\"caller\":" + caller() + ",\"callee\":" + places.get(0).json() + ",\"at\":" + line + ",\"kind\":" + quote(kind)
          + (dynamic ? ",\"dynamic\":true" : "") + (rest.isEmpty() ? "" : ",\"also\":[" + rest + "]") + "}");
    }
  }
}
