// Mutation and crossover on the boundaries of operations, for targets that decode their input with
// the codec.

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "props/harness/codec.h"
#include "props/harness/codec_format.h"
#include "props/harness/random.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace lockstep {
namespace {

using Bytes = std::vector<uint8_t>;

// An input cut into its header and its operations.
struct Pieces {
  Bytes header;
  std::vector<Bytes> ops;

  explicit Pieces(absl::Span<const uint8_t> bytes) {
    const std::vector<size_t> cuts = OperationBoundaries(bytes);
    header.assign(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(cuts[0]));
    for (size_t i = 1; i < cuts.size(); ++i) {
      ops.emplace_back(bytes.begin() + static_cast<ptrdiff_t>(cuts[i - 1]),
                       bytes.begin() + static_cast<ptrdiff_t>(cuts[i]));
    }
  }

  Bytes& Any(Random& random) { return ops[random.Below(ops.size())]; }
  ptrdiff_t AnyPlace(Random& random) const {
    return static_cast<ptrdiff_t>(random.Below(ops.size() + 1));
  }

  size_t Join(uint8_t* out, size_t max_size) const {
    size_t size = 0;
    const auto append = [&](const Bytes& bytes) {
      if (size + bytes.size() > max_size) return;
      std::copy(bytes.begin(), bytes.end(), out + size);
      size += bytes.size();
    };
    append(header);
    for (const Bytes& op : ops) append(op);
    return size;
  }
};

// Lets libFuzzer's own mutations, dictionary and traced comparisons included, work on one part.
void MutateBytes(Bytes& bytes) {
  const size_t size = bytes.size();
  bytes.resize(size + 8);
  bytes.resize(LLVMFuzzerMutate(bytes.data(), size, bytes.size()));
}

void AppendSmall(Bytes& bytes, size_t count, Random& random) {
  for (size_t i = 0; i < count; ++i) {
    // Small numbers are more often the ones that mean something.
    bytes.push_back(static_cast<uint8_t>(random.OneIn(3) ? random.Next() : random.Below(16)));
  }
}

// A document that is about as long as the ring, in eight bytes: two pieces, each a run, a counter,
// pseudo-random or a slice.
Bytes LongDocument(Random& random) {
  Bytes op = {static_cast<uint8_t>(codec::Opcode::kInsert), static_cast<uint8_t>(random.Below(4)),
              codec::kCountExact + 2};
  for (int i = 0; i < 2; ++i) {
    const auto piece =
        static_cast<codec::Piece>(static_cast<uint8_t>(codec::Piece::kRun) + random.Below(4));
    op.push_back(static_cast<uint8_t>(piece));
    const uint64_t lengths = codec::kLengthNearRing + 6 - codec::kLengthInRings;
    op.push_back(static_cast<uint8_t>(codec::kLengthInRings + random.Below(lengths)));
    AppendSmall(op,
                piece == codec::Piece::kRun       ? 1
                : piece == codec::Piece::kCounter ? 4
                                                  : 2,
                random);
  }
  return op;
}

// Two keys that differ in one field, in one bit, or in the order of two fields.
Bytes ScopesAlike(Random& random) {
  uint64_t key[4];
  for (uint64_t& field : key) field = random.Below(4);
  Bytes ops;
  for (uint8_t entry = 0; entry < 2; ++entry) {
    ops.insert(ops.end(), {static_cast<uint8_t>(codec::Opcode::kSetScope), entry});
    for (const uint64_t field : key) {
      ops.push_back(codec::kExplicit);
      for (int i = 0; i < 8; ++i) ops.push_back(static_cast<uint8_t>(field >> (8 * i)));
    }
    const uint64_t i = random.Below(4);
    if (random.OneIn(2)) {
      key[i] ^= uint64_t{1} << (random.OneIn(2) ? 63 : random.Below(64));
    } else {
      std::swap(key[i], key[(i + 1 + random.Below(3)) % 4]);
    }
  }
  return ops;
}

Bytes NewOperation(Pieces& pieces, Random& random) {
  const uint64_t choice = random.Below(16);
  if (choice < 5) return LongDocument(random);
  if (choice == 5) return ScopesAlike(random);
  if (choice == 6) {
    if (!pieces.header.empty()) pieces.header[0] = codec::kVersion;  // the first to have repeats
    Bytes repeat = {codec::kRepeatByte};
    AppendSmall(repeat, 4, random);
    return repeat;
  }
  Bytes op;
  AppendSmall(op, 3 + random.Below(8), random);
  return op;
}

// What one proposal asked is asked again, at once or later: in another scope, for another length,
// in one call with it.
void AskAgain(std::vector<Bytes>& ops, Random& random) {
  std::vector<size_t> proposals;
  for (size_t i = 0; i < ops.size(); ++i) {
    // Of what proposes in any version, the bytes that the encoder writes.
    const uint8_t opcode = ops[i].empty() ? uint8_t{0} : ops[i][0];
    if (opcode >= static_cast<uint8_t>(codec::Opcode::kPropose) &&
        opcode <= static_cast<uint8_t>(codec::Opcode::kProposeAged) && ops[i].size() > 2) {
      proposals.push_back(i);
    }
  }
  if (proposals.empty()) return;
  const size_t asked = proposals[random.Below(proposals.size())];
  Bytes again = ops[asked];
  if (!random.OneIn(3)) again[1] = static_cast<uint8_t>(random.Below(4));
  if (!random.OneIn(3)) again[2] = static_cast<uint8_t>(random.Below(4));
  if (again[0] == static_cast<uint8_t>(codec::Opcode::kPropose) && random.OneIn(2)) {
    again[0] = static_cast<uint8_t>(codec::Opcode::kProposeBatched);
  }
  const size_t at = random.OneIn(2) ? asked + 1 : asked + 1 + random.Below(ops.size() - asked);
  ops.insert(ops.begin() + static_cast<ptrdiff_t>(at), std::move(again));
}

void MutatePieces(Pieces& pieces, Random& random) {
  std::vector<Bytes>& ops = pieces.ops;
  const uint64_t choice = ops.empty() ? random.Below(2) : random.Below(11);
  switch (choice) {
    case 0:
      return MutateBytes(pieces.header);
    case 1: {
      Bytes op = NewOperation(pieces, random);
      ops.insert(ops.begin() + pieces.AnyPlace(random), std::move(op));
      return;
    }
    case 2: {
      const Bytes copy = pieces.Any(random);
      ops.insert(ops.begin() + pieces.AnyPlace(random), copy);
      return;
    }
    case 3:
      ops.erase(ops.begin() + static_cast<ptrdiff_t>(random.Below(ops.size())));
      return;
    case 4:
      return std::swap(pieces.Any(random), pieces.Any(random));
    case 5: {
      // The same again: what repeats, what wraps and what is cut need it.
      const size_t begin = random.Below(ops.size());
      const size_t count = 1 + random.Below(std::min<size_t>(ops.size() - begin, 8));
      const std::vector<Bytes> copy(ops.begin() + static_cast<ptrdiff_t>(begin),
                                    ops.begin() + static_cast<ptrdiff_t>(begin + count));
      ops.insert(ops.begin() + pieces.AnyPlace(random), copy.begin(), copy.end());
      return;
    }
    case 6: {
      // Another scope for one operation: its second byte.
      Bytes& op = pieces.Any(random);
      if (op.size() > 1) op[1] = static_cast<uint8_t>(random.Below(random.OneIn(4) ? 256 : 4));
      return;
    }
    case 7:
      return AskAgain(ops, random);
    default:
      return MutateBytes(pieces.Any(random));
  }
}

}  // namespace
}  // namespace lockstep

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  lockstep::Random random(seed);
  if (random.OneIn(8)) return LLVMFuzzerMutate(data, size, max_size);
  lockstep::Pieces pieces({data, size});
  const uint64_t times = 1 + random.Below(3);
  for (uint64_t i = 0; i < times; ++i) lockstep::MutatePieces(pieces, random);
  return pieces.Join(data, max_size);
}

// One input's operations with a stretch of another's in between; the header is either's.
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1,
                                            const uint8_t* data2, size_t size2, uint8_t* out,
                                            size_t max_out_size, unsigned int seed) {
  lockstep::Random random(seed);
  lockstep::Pieces pieces({data1, size1});
  const lockstep::Pieces other({data2, size2});
  if (random.OneIn(3)) pieces.header = other.header;
  if (!other.ops.empty()) {
    const size_t begin = random.Below(other.ops.size());
    const size_t count = 1 + random.Below(other.ops.size() - begin);
    pieces.ops.insert(pieces.ops.begin() + pieces.AnyPlace(random),
                      other.ops.begin() + static_cast<ptrdiff_t>(begin),
                      other.ops.begin() + static_cast<ptrdiff_t>(begin + count));
  }
  return pieces.Join(out, max_out_size);
}
