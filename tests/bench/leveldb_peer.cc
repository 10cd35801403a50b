#include "leveldb_peer.h"

#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

#include <string>
#include <vector>

static const leveldb::FilterPolicy *policy = leveldb::NewBloomFilterPolicy(10);
static std::vector<leveldb::Slice> keys;
static std::string created;

void leveldb_peer_keys(const char *data, size_t n) {
  keys.clear();
  keys.reserve(n);
  for (size_t i = 0; i < n; i++) keys.emplace_back(data + 16 * i, 16);
}

size_t leveldb_peer_create(const char **filter) {
  created = std::string();
  policy->CreateFilter(keys.data(), static_cast<int>(keys.size()), &created);
  *filter = created.data();
  return created.size();
}

int leveldb_peer_may_match(const char *key, const char *filter, size_t size) {
  return policy->KeyMayMatch(leveldb::Slice(key, 16),
                             leveldb::Slice(filter, size));
}
