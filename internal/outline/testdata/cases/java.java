/* class Commented {} */
package com.example.app;

import java.util.*;
import static java.lang.Math.max;

@Retention(RetentionPolicy.RUNTIME)
public @interface Marker { String value() default "}"; int[] sizes() default {1, 2}; }

@SuppressWarnings({"unchecked", "class X {"})
public abstract class Outer<T extends Comparable<? super T>> extends Base<Map<String, List<T>>> implements Runnable {
  private static final Map<String, Runnable> TABLE = new HashMap<>() {{ put("a", () -> { }); }};
  static { init(); }
  { instance(); }
  char brace = '{', quote = '\'';
  String block = """
      class InText { void method() {} "quoted" \"""
      """;

  public Outer(int a) throws IOException { this(a, new Object() { void hidden() {} }); }

  @Override
  public <R extends T> List<R> map(final Function<? super T, ? extends R> f, int... rest)
      throws IOException, IllegalStateException {
    class Local { void inner() {} }
    return null;
  }

  abstract int abstractMethod();
  int[] array()[] { return null; }

  enum Color implements Named { RED(1) { int code() { return 1; } }, GREEN; private int code; Color() {} int code() { return 0; } }

  interface Nested { default void hello() {} static void util() {} void plain(); }

  record Point(int x, int y) { Point { if (x < 0) throw new Error(); } double len() { return 0; } }
  sealed interface Shape permits Circle {}
  void record() {}
}
