#!tests/lib/row
<?php
// skip: /usr/bin/php
// row: PHP, class SQLite3
// run: {1} app.php
// class: (?:SQLite3)?Exception
$db = new SQLite3('app.db');
$db->enableExceptions(true);
{2};
foreach (file('questions', FILE_IGNORE_NEW_LINES) as $line) {
  [$kind, $sql, $values] = [strtok($line, "\t"), strtok("\t"), strtok('')];
  try {
    switch ($kind) {
      case 'run': $db->exec($sql); $said = ''; break;
      case 'open': $rows = $db->query($sql); $said = $rows->fetchArray()[0]; break;
      case 'close': $rows->finalize(); $said = ''; break;
      case 'get':
        if ($values === false || $values === '') { $said = $db->querySingle($sql); break; }
        $statement = $db->prepare($sql);
        foreach (explode("\t", $values) as $i => $value) {
          if (preg_match('/^x[0-9a-f]+$/', $value)) {
            $statement->bindValue($i + 1, hex2bin(substr($value, 1)), {3});
          } else {
            $statement->bindValue($i + 1, $value[0] === '#' ? (int)substr($value, 1) : $value);
          }
        }
        $said = $statement->execute()->fetchArray()[0];
        $statement->close();
    }
  } catch (Exception $error) {
    $said = get_class($error) . ': ' . $error->getMessage();
  }
  echo str_starts_with((string)$said, "\x11") ? 'x' . bin2hex($said) : $said, "\n";
}
// query() runs a statement up to its first row, and fetchArray() runs it again.
try {
  $db->query("SELECT bloom_drop_parts('customer', 'email')")->fetchArray();
  exit(1);
} catch (Exception $error) {
  exit(str_contains($error->getMessage(), 'made nothing here') ? 0 : 1);
}
