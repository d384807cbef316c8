#include "gpu/io/shared_reads.hpp"

#include <algorithm>

namespace weft::gpu {

bool SharedReads::join(size_t reader, const std::vector<std::vector<std::pair<size_t, int>>>& pieces) {
  const std::lock_guard<std::mutex> guard(mutex_);
  if (!layout_) {
    layout_ = pieces;
    pieces_.resize(pieces.size());
    for (Piece& piece : pieces_) piece.finished = gone_;
  }
  if (*layout_ == pieces) return true;
  gone_[reader] = true;
  for (Piece& piece : pieces_) {
    piece.finished[reader] = true;
    drop_if_finished_locked(piece);
  }
  return false;
}

void SharedReads::leave(size_t reader) noexcept {
  const std::lock_guard<std::mutex> guard(mutex_);
  gone_[reader] = true;
  for (Piece& piece : pieces_) {
    piece.finished[reader] = true;
    drop_if_finished_locked(piece);
  }
}

std::shared_ptr<const SharedReads::Decoded> SharedReads::read(size_t index, const std::function<Decoded()>& decode) {
  std::unique_lock<std::mutex> lock(mutex_);
  Piece& piece = pieces_[index];
  changed_.wait(lock, [&] { return piece.decoded != nullptr || !piece.decoding; });
  if (piece.decoded != nullptr) return piece.decoded;
  piece.decoding = true;
  lock.unlock();
  std::shared_ptr<const Decoded> decoded;
  try {
    decoded = std::make_shared<const Decoded>(decode());
  } catch (...) {
    lock.lock();
    piece.decoding = false;
    changed_.notify_all();
    throw;
  }
  lock.lock();
  piece.decoding = false;
  piece.decoded = decoded;
  drop_if_finished_locked(piece);
  changed_.notify_all();
  return decoded;
}

void SharedReads::finish(size_t reader, size_t index) noexcept {
  const std::lock_guard<std::mutex> guard(mutex_);
  pieces_[index].finished[reader] = true;
  drop_if_finished_locked(pieces_[index]);
}

void SharedReads::drop_if_finished_locked(Piece& piece) {
  if (std::all_of(piece.finished.begin(), piece.finished.end(), [](bool finished) { return finished; })) {
    piece.decoded.reset();
  }
}

}  // namespace weft::gpu
