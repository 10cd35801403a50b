// The C core against LevelDB's own filter policy: the same keys give the same
// bytes, and any bytes give the same answers.
#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

extern "C" {
#include "core/bloom.h"
#include "lib/tap.h"
}

namespace {

using leveldb::FilterPolicy;
using leveldb::Slice;

std::mt19937_64 generator(20240229);

uint64_t RandomBelow(uint64_t n) {
  return generator() % n;
}

std::string RandomBytes(size_t n) {
  std::string bytes(n, '\0');
  for (char &c : bytes) c = static_cast<char>(generator());
  return bytes;
}

// Lengths around LevelDB's block of 4 bytes, some of them long.
std::string RandomKey() {
  return RandomBytes(RandomBelow(10) == 0 ? RandomBelow(300) : RandomBelow(20));
}

std::string OurFilter(const std::vector<Slice> &keys, int bits_per_key) {
  std::vector<const void *> data;
  std::vector<size_t> sizes;
  for (const Slice &key : keys) {
    data.push_back(key.data());
    sizes.push_back(key.size());
  }
  const uint64_t size = bloom_filter_size(keys.size(), bits_per_key);
  std::vector<uint64_t> scratch(bloom_scratch_size(size) / 8 + 1);
  std::string filter(size, '\xff');
  filter.resize(bloom_create_filter(data.data(), sizes.data(), keys.size(),
                                    bits_per_key, &filter[0], scratch.data()));
  return filter;
}

std::string TheirFilter(const FilterPolicy &policy,
                        const std::vector<Slice> &keys) {
  std::string filter;
  policy.CreateFilter(keys.data(), static_cast<int>(keys.size()), &filter);
  return filter;
}

bool OurAnswer(const std::string &key, const std::string &filter) {
  return bloom_key_may_match(key.data(), key.size(), filter.data(),
                             filter.size()) != 0;
}

uint64_t filters, probes, matches;

// So many random keys.
bool AnswersAreTheSame(const FilterPolicy &policy, const std::string &filter,
                       int keys) {
  for (int i = 0; i < keys; i++) {
    const std::string key = RandomKey();
    const bool match = policy.KeyMayMatch(key, filter);
    probes++;
    matches += match;
    if (OurAnswer(key, filter) != match) return false;
  }
  return true;
}

// One filter of random keys: 1 where everything is as LevelDB has it.
bool FilterIsTheSame(const FilterPolicy &policy, int bits_per_key) {
  static const uint64_t kLargest[] = {3, 30, 300, 3000};
  std::vector<std::string> keys(RandomBelow(kLargest[RandomBelow(4)]));
  for (std::string &key : keys) key = RandomKey();
  for (size_t i = 1; i < keys.size(); i += 7) keys[i] = keys[i - 1];

  const std::vector<Slice> slices(keys.begin(), keys.end());
  const std::string theirs = TheirFilter(policy, slices);
  filters++;
  if (OurFilter(slices, bits_per_key) != theirs) return false;
  for (const std::string &key : keys) {
    probes++;
    if (!OurAnswer(key, theirs)) return false;
  }
  return AnswersAreTheSame(policy, theirs, 300);
}

// Bytes that no policy wrote, every last byte among them.
bool AnyBytesAreTheSame(const FilterPolicy &policy, int last_byte) {
  for (size_t size = 0; size < 40; size++) {
    std::string filter = RandomBytes(size);
    for (char &c : filter) c |= static_cast<char>(generator());
    if (size > 0) filter[size - 1] = static_cast<char>(last_byte);
    if (!AnswersAreTheSame(policy, filter, 20)) return false;
  }
  return true;
}

// Filters that are filled part by part.
bool LargeFilterIsTheSame(const FilterPolicy &policy, int bits_per_key) {
  const std::string bytes = RandomBytes(8 * 5000000);
  std::vector<Slice> keys;
  for (size_t at = 0; at < bytes.size(); at += 8) {
    keys.emplace_back(bytes.data() + at, 8);
  }
  filters++;
  return OurFilter(keys, bits_per_key) == TheirFilter(policy, keys);
}

}  // namespace

int main() {
  for (int bits_per_key = 1; bits_per_key <= 100; bits_per_key++) {
    const std::unique_ptr<const FilterPolicy> policy(
        leveldb::NewBloomFilterPolicy(bits_per_key));
    bool same = true;
    for (int i = 0; i < 60 && same; i++) {
      same = FilterIsTheSame(*policy, bits_per_key);
    }
    ok(same, "random filters and probes, bits_per_key %d", bits_per_key);
  }
  const std::unique_ptr<const FilterPolicy> policy(
      leveldb::NewBloomFilterPolicy(10));
  ok(std::string(policy->Name()) == BLOOM_POLICY_NAME, "the policy's name");
  ok(LargeFilterIsTheSame(*policy, 10), "a filter of 5 million keys");
  bool same = true;
  for (int last = 0; last < 256 && same; last++) {
    same = AnyBytesAreTheSame(*policy, last);
  }
  ok(same, "random bytes as filters, every last byte");
  printf("# %llu filters, %llu probes, %llu of them matched\n",
         static_cast<unsigned long long>(filters),
         static_cast<unsigned long long>(probes),
         static_cast<unsigned long long>(matches));
  return tap_done();
}
