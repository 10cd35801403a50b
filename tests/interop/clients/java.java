#!tests/lib/row
// skip: /usr/share/java/sqlite-jdbc.jar
// row: Java, xerial's JDBC
// run: java -cp /usr/share/java/sqlite-jdbc.jar app.java
// class: org.sqlite.SQLiteException
import java.sql.*;
import java.util.*;

class Client {
  static Object first(Statement statement, ResultSet rows) throws Exception {
    Object value = rows.next() ? rows.getObject(1) : "";
    if (statement != null) statement.close();
    return value instanceof byte[] b ? "x" + HexFormat.of().formatHex(b) : value;
  }

  public static void main(String[] arguments) throws Exception {
    {1};
    {2};
    Statement open = null;
    var lines = new Scanner(new java.io.File("questions"));
    while (lines.hasNextLine()) {
      var question = lines.nextLine().split("\t");
      try (var s = question.length > 1 ? db.prepareStatement(question[1]) : null) {
        for (int i = 2; i < question.length; i++) {
          var value = question[i];
          if (value.matches("x[0-9a-f]+"))
            s.setBytes(i - 1, HexFormat.of().parseHex(value.substring(1)));
          else if (value.startsWith("#"))
            s.setLong(i - 1, Long.parseLong(value.substring(1)));
          else s.setString(i - 1, value);
        }
        switch (question[0]) {
          case "run" -> { s.execute(); System.out.println(); }
          case "get" -> System.out.println(first(s, s.executeQuery()));
          case "open" -> {
            open = db.createStatement();
            System.out.println(first(null, open.executeQuery(question[1])));
          }
          case "close" -> { open.close(); System.out.println(); }
        }
      } catch (SQLException error) {
        System.out.println(error.getClass().getName() + ": " + error.getMessage());
      }
    }
  }
}
