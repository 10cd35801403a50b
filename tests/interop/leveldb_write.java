// Writes a LevelDB database with the Java port, whose handles older versions pad to
// 20 bytes, and prints the keys and values that it then has, in hexadecimal:
//
//   java leveldb_write.java FOLDER KEYS

import static org.iq80.leveldb.impl.Iq80DBFactory.factory;

import java.io.File;
import java.util.Map;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.Options;
import org.iq80.leveldb.WriteBatch;

class leveldb_write {
  static String hex(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    for (byte b : bytes) text.append(String.format("%02X", b));
    return text.toString();
  }

  public static void main(String[] args) throws Exception {
    int keys = Integer.parseInt(args[1]);
    Options options = new Options().writeBufferSize(20000).blockSize(1024);
    try (DB db = factory.open(new File(args[0]), options)) {
      for (int i = 0; i < keys; i++) {
        db.put(String.format("key %06d", i).getBytes(), ("value " + i).getBytes());
      }
      WriteBatch batch = db.createWriteBatch();
      for (int i = 0; i < keys; i += 10) {
        batch.put(String.format("key %06d", i).getBytes(), "again".getBytes());
        batch.delete(String.format("key %06d", i + 3).getBytes());
      }
      db.write(batch);
      for (Map.Entry<byte[], byte[]> pair : db) {
        System.out.println(hex(pair.getKey()) + "|" + hex(pair.getValue()));
      }
    }
  }
}
