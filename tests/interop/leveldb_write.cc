// Writes a LevelDB database:
//
//   leveldb_write FOLDER KEYS BLOCK_SIZE none|snappy BITS_PER_KEY
//
// A tenth of the keys have several versions, which a snapshot keeps, and some
// are deleted. All of this is in tables; a twentieth more keys are in the log.
// Prints the keys and values that the database then has, in hexadecimal.
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>
#include <leveldb/write_batch.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

namespace {

void Check(const leveldb::Status &status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(1);
}

// Text, digests and numbers: with shared prefixes, with none, and with NULs.
std::string Key(uint64_t i) {
  char text[40];
  std::mt19937_64 digest(i);
  switch (i % 4) {
    case 0:
      std::snprintf(text, sizeof(text), "SKU-%09llu-EU",
                    static_cast<unsigned long long>(i));
      return text;
    case 1:
      std::snprintf(text, sizeof(text), "user%llu@example.org",
                    static_cast<unsigned long long>(i));
      return text;
    case 2: {
      const uint64_t halves[2] = {digest(), digest()};
      return std::string(reinterpret_cast<const char *>(halves), 16);
    }
    default:
      return std::string(reinterpret_cast<const char *>(&i), 8);
  }
}

// Up to 70 bytes, half of them the same, so that snappy has something to do;
// one in a thousand is longer than a block.
std::string Value(uint64_t i, int version) {
  std::mt19937_64 random(i * 31 + static_cast<uint64_t>(version));
  std::string value(random() % 1000 == 0 ? 5000 : random() % 36, '\0');
  for (char &c : value) c = static_cast<char>(random());
  return value + std::string(value.size(), static_cast<char>('a' + version));
}

void PrintHex(const leveldb::Slice &bytes, char after) {
  for (size_t i = 0; i < bytes.size(); i++) {
    std::printf("%02X", static_cast<unsigned char>(bytes[i]));
  }
  std::putchar(after);
}

void PrintAll(leveldb::DB *db) {
  leveldb::Iterator *it = db->NewIterator(leveldb::ReadOptions());
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    PrintHex(it->key(), '|');
    PrintHex(it->value(), '\n');
  }
  Check(it->status());
  delete it;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  const uint64_t keys = std::strtoull(argv[2], nullptr, 10);
  leveldb::Options options;
  options.create_if_missing = true;
  options.error_if_exists = true;
  options.block_size = std::strtoull(argv[3], nullptr, 10);
  options.compression = std::strcmp(argv[4], "none") == 0
                            ? leveldb::kNoCompression
                            : leveldb::kSnappyCompression;
  options.filter_policy = leveldb::NewBloomFilterPolicy(std::atoi(argv[5]));
  leveldb::DB *db;
  Check(leveldb::DB::Open(options, argv[1], &db));

  const leveldb::WriteOptions write;
  for (uint64_t i = 0; i < keys; i++)
    Check(db->Put(write, Key(i), Value(i, 0)));
  const leveldb::Snapshot *first = db->GetSnapshot();
  for (uint64_t i = 0; i < keys; i += 10) {
    Check(db->Put(write, Key(i), Value(i, 1)));
  }
  const leveldb::Snapshot *second = db->GetSnapshot();
  for (uint64_t i = 0; i < keys; i += 15) Check(db->Delete(write, Key(i)));
  leveldb::WriteBatch batch;
  for (uint64_t i = 0; i < keys; i += 25) batch.Put(Key(i), Value(i, 2));
  Check(db->Write(write, &batch));
  db->CompactRange(nullptr, nullptr);

  for (uint64_t i = keys; i < keys + keys / 20; i++) {
    Check(db->Put(write, Key(i), Value(i, 0)));
  }

  PrintAll(db);
  db->ReleaseSnapshot(second);
  db->ReleaseSnapshot(first);
  delete db;
  delete options.filter_policy;
  return 0;
}
