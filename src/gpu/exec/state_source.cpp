#include "gpu/exec/state_source.hpp"

#include <atomic>
#include <functional>

#include "gpu/ops/make_operators.hpp"

namespace weft::gpu {
namespace {

class PieceSource final : public SourceOperator {
 public:
  using ReadPiece = std::function<Batch(const TaskContext&, size_t)>;
  PieceSource(size_t pieces, ReadPiece read, uint64_t batch_bytes)
      : pieces_(pieces), read_(std::move(read)), batch_bytes_(batch_bytes) {}

  Next next(Morsel& morsel, const std::function<void()>&) override {
    const uint64_t index = taken_.load();
    if (index >= pieces_) return Next::Done;
    taken_ = index + 1;
    morsel = Morsel{};
    morsel.sequence = index;
    morsel.index = index;
    morsel.estimated_bytes = batch_bytes_;
    return Next::Morsel;
  }
  Batch read(const TaskContext& context, const Morsel& morsel) override { return read_(context, morsel.index); }

 private:
  const size_t pieces_;
  const ReadPiece read_;
  const uint64_t batch_bytes_;
  std::atomic<uint64_t> taken_{0};
};

}  // namespace

std::unique_ptr<SourceOperator> make_state_rows(SinkState& state, uint64_t batch_bytes) {
  return std::make_unique<PieceSource>(
      state.pieces(), [&state](const TaskContext& context, size_t index) { return state.piece(context, index); },
      batch_bytes);
}

std::unique_ptr<SourceOperator> make_build_rows(SinkState& state, bool matched, uint64_t batch_bytes) {
  return std::make_unique<PieceSource>(
      build_row_pieces(state),
      [&state, matched](const TaskContext& context, size_t index) {
        return build_row_piece(context, state, index, matched);
      },
      batch_bytes);
}

}  // namespace weft::gpu
