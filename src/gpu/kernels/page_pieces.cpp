#include "gpu/kernels/page_pieces.hpp"

#include "base/error.hpp"

namespace weft::gpu::kernels {
namespace {

class Prefix {
 public:
  explicit Prefix(PagePiece& piece) : piece_(piece) {}

  void byte(uint32_t value) {
    WEFT_INVARIANT(piece_.prefix_bytes < PagePiece::kMostPrefixBytes, "a page's header takes less than it may");
    piece_.prefix[piece_.prefix_bytes++] = static_cast<uint8_t>(value);
  }
  void varint(uint64_t value) {
    for (; value > 0x7f; value >>= 7) byte(static_cast<uint32_t>(value | 0x80) & 0xff);
    byte(static_cast<uint32_t>(value));
  }
  void little_endian(uint32_t value) {
    for (uint32_t shift = 0; shift < 32; shift += 8) byte(value >> shift & 0xff);
  }
  /// A field of Thrift's, `delta` behind the last one. Numbers here are not negative.
  void i32(uint32_t delta, uint64_t value) {
    byte(delta << 4 | kThriftI32);
    varint(value << 1);
  }
  void open(uint32_t delta) { byte(delta << 4 | kThriftStruct); }
  void close() { byte(0); }

 private:
  PagePiece& piece_;
};

uint32_t varint_bytes(uint64_t value) {
  uint32_t bytes = 1;
  for (; value > 0x7f; value >>= 7) ++bytes;
  return bytes;
}

void write_header(Prefix& prefix, uint32_t rows, uint64_t page_bytes) {
  prefix.i32(1, kDataPage);
  prefix.i32(1, page_bytes);
  prefix.i32(1, page_bytes);
  prefix.open(2);  // field 5: DataPageHeader
  prefix.i32(1, rows);
  prefix.i32(1, kPlain);
  prefix.i32(1, kRle);
  prefix.i32(1, kRle);
  prefix.close();
  prefix.close();
}

}  // namespace

std::vector<PagePiece> pieces_of(const StoredPage& page, bool nullable, std::span<const TextCut> cuts,
                                 const uint32_t* levels) {
  std::vector<PagePiece> pieces;
  for (uint32_t cut = 0; cut < cuts_of(page.values); ++cut) {
    const uint32_t rows = rows_of_cut(page.values, cut);
    PagePiece piece;
    piece.content = page.bytes + cuts[cut].begin;
    piece.content_bytes = cuts[cut + 1].begin - cuts[cut].begin;
    Prefix prefix(piece);
    if (!nullable) {
      write_header(prefix, rows, piece.content_bytes);
    } else if (cuts[cut].defined == rows) {  // one run of ones
      const uint64_t run = uint64_t{rows} << 1;
      const uint32_t run_bytes = varint_bytes(run) + 1;
      write_header(prefix, rows, 4 + run_bytes + piece.content_bytes);
      prefix.little_endian(run_bytes);
      prefix.varint(run);
      prefix.byte(1);
    } else {  // one run of literals
      piece.level_bytes = (rows + 7) / 8;
      piece.levels = reinterpret_cast<const uint8_t*>(levels) + uint64_t{cut} * kRowsPerCut / 8;
      const uint64_t run = uint64_t{piece.level_bytes} << 1 | 1;
      const uint32_t run_bytes = varint_bytes(run) + piece.level_bytes;
      write_header(prefix, rows, 4 + uint64_t{run_bytes} + piece.content_bytes);
      prefix.little_endian(run_bytes);
      prefix.varint(run);
    }
    pieces.push_back(piece);
  }
  return pieces;
}

}  // namespace weft::gpu::kernels
