// The Parquet source: which row groups of which files, in morsels, and the reading of one morsel.
#include <algorithm>
#include <atomic>
#include <cudf/column/column_factories.hpp>
#include <cudf/filling.hpp>
#include <cudf/io/datasource.hpp>
#include <cudf/io/parquet.hpp>
#include <cudf/io/parquet_metadata.hpp>
#include <cudf/reduction.hpp>
#include <cudf/scalar/scalar.hpp>
#include <cudf/scalar/scalar_factories.hpp>
#include <cudf/unary.hpp>
#include <cudf/utilities/traits.hpp>
#include <future>

#include "gpu/exec/cuda_check.hpp"
#include "gpu/io/file_columns.hpp"
#include "gpu/io/footer_cache.hpp"
#include "gpu/io/row_group_pruning.hpp"
#include "gpu/io/shared_reads.hpp"
#include "gpu/io/sources.hpp"
#include "gpu/io/stored_chunks.hpp"

namespace weft::gpu {
namespace {

namespace parquet = cudf::io::parquet;

// A call of the reader costs about 10 ms whatever it reads, and more when many run at once: few large calls, but enough
// for every worker.
constexpr uint64_t kMinMorselBytes = uint64_t{128} << 20;
constexpr uint64_t kSmallScanBytes = uint64_t{4} << 30;
constexpr uint64_t kMorselsOfSmallScan = 8;
constexpr uint64_t kMorselsOfLargeScan = 16;
constexpr uint64_t kMaxMorselRows = uint64_t{1} << 30;
constexpr unsigned kFooterThreads = 8;

/// TIME as libcudf decodes it, as ticks of the type. Throws what DuckDB says of a value outside of the day.
std::unique_ptr<cudf::column> time_of_day(const TaskContext& context, const plan::Type& type,
                                          std::unique_ptr<cudf::column> times) {
  using cudf::type_id;
  const auto as_integers = [](const cudf::column& column) {
    return cudf::bit_cast(column.view(), cudf::data_type{type_id::INT64});
  };
  const auto [least, greatest] = cudf::minmax(as_integers(*times), context.stream, context.mr);
  const bool millis = times->type().id() == type_id::DURATION_MILLISECONDS;
  const int64_t day = int64_t{86'400'000} * (millis ? 1 : type.id == plan::TypeId::TimeNs ? 1'000'000 : 1'000);
  for (const auto* const bound : {least.get(), greatest.get()}) {
    if (!bound->is_valid(context.stream)) continue;
    const int64_t ticks = static_cast<const cudf::numeric_scalar<int64_t>*>(bound)->value(context.stream);
    if (ticks >= 0 && ticks <= day) continue;
    throw Exception(ErrorCode::InvalidInput, "Invalid TIME value " + std::to_string(ticks) +
                                                 " in Parquet file - TIME values must be within a day");
  }
  if (millis) {
    times = cudf::cast(times->view(), cudf::data_type{type_id::DURATION_MICROSECONDS}, context.stream, context.mr);
  }
  const cudf::size_type rows = times->size();
  const cudf::size_type nulls = times->null_count();
  auto contents = times->release();
  return std::make_unique<cudf::column>(cudf::data_type{type_id::INT64}, rows, std::move(*contents.data),
                                        std::move(*contents.null_mask), nulls);
}

struct OpenFile {
  const plan::ScanFile* file = nullptr;
  Footer footer;
  std::vector<std::optional<FileColumn>> columns;
  std::vector<std::optional<FileColumn>> shared_columns;  // of SharedReads::columns()
  std::unique_ptr<Expressions> casts;                     // file types to bound types; null if they are the same
};

struct Group {
  size_t file = 0;
  cudf::size_type group = 0;
  int64_t first_row = 0;  // of the group, in its file
  uint64_t rows = 0;
  uint64_t decoded_bytes = 0;
  uint64_t stored_bytes = 0;
};

/// Row groups, in order, that one call reads: of files with the same columns, or of one file.
struct Piece {
  std::vector<Group> groups;
  uint64_t rows = 0;
  uint64_t decoded_bytes = 0;
  uint64_t stored_bytes = 0;
  void add(const Group& group) {
    groups.push_back(group);
    rows += group.rows;
    decoded_bytes += group.decoded_bytes;
    stored_bytes += group.stored_bytes;
  }
};

uint64_t decoded_bytes(const parquet::RowGroup& group, const FileColumn& column) {
  const parquet::ColumnChunkMetaData& chunk = group.columns.at(column.leaf).meta_data;
  const auto rows = static_cast<uint64_t>(group.num_rows);
  const cudf::data_type type = device_type(column.type);
  if (cudf::is_fixed_width(type)) return rows * cudf::size_of(type) + rows / 8;
  if (chunk.size_statistics && chunk.size_statistics->unencoded_byte_array_data_bytes) {
    return static_cast<uint64_t>(*chunk.size_statistics->unencoded_byte_array_data_bytes) + rows * 4;
  }
  // Dictionary pages hide the decoded size: at least 8 characters a row.
  return std::max<uint64_t>(static_cast<uint64_t>(chunk.total_uncompressed_size), rows * 8) + rows * 4;
}

class ParquetScan final : public SourceOperator {
 public:
  ParquetScan(const FileServices& services, KernelCache& kernels, const plan::Scan& scan, uint64_t batch_bytes,
              std::shared_ptr<SharedReads> shared, size_t reader)
      : services_(services), kernels_(kernels), scan_(scan), shared_(std::move(shared)), reader_(reader) {
    for (const plan::ScanColumn& column : scan.columns) row_.push_back({column.name, column.type, true});
    if (!scan.filters.empty()) filter_ = Predicate::make(kernels, row_, scan.filters);
    open_files(services.footers);
    plan_pieces(batch_bytes);
  }
  ~ParquetScan() override {
    if (shared_ != nullptr) shared_->leave(reader_);
  }

  Next next(Morsel& morsel, const std::function<void()>&) override {
    const uint64_t index = taken_.load();
    if (cancelled_.load() || index >= pieces_.size()) return Next::Done;
    taken_ = index + 1;
    morsel = Morsel{};
    morsel.sequence = morsel.index = index;
    // Decoded columns, the stored pages (ours and the reader's) and decompressed ones beside them, and the copy that a
    // filter makes.
    morsel.estimated_bytes = pieces_[index].decoded_bytes * 3 + pieces_[index].stored_bytes * 2;
    return Next::Morsel;
  }

  bool can_split(const Morsel& morsel) const override {
    return pieces_[morsel.index].groups.size() >= morsel.parts * 2;
  }

  Batch read(const TaskContext& context, const Morsel& morsel) override {
    const Piece piece = part_of(pieces_[morsel.index], morsel);
    const OpenFile& file = files_[piece.groups.front().file];  // stands for all of the piece
    std::shared_ptr<const SharedReads::Decoded> decoded;       // kept until the rows that pass are copies
    bool decoded_here = true;
    if (shared_ != nullptr && morsel.parts == 1) decoded = read_shared(context, morsel.index, piece, decoded_here);
    Batch batch = read_columns(context, file, piece, decoded.get());
    context.cancellation.check();
    add_other_columns(context, file, piece, batch);
    if (filter_ != nullptr) {
      batch = filter_->filter(context, batch, scan_.projection);
    } else {
      std::vector<ColumnPtr> columns;
      for (const uint32_t column : scan_.projection) columns.push_back(batch.columns[column]);
      batch.columns = std::move(columns);
    }
    bytes_done_ += piece.stored_bytes;
    if (decoded_here) bytes_read_ += piece.stored_bytes;
    if (shared_ != nullptr) {
      check_cuda(cudaStreamSynchronize(context.stream.get()));  // before shared columns may go
      shared_->finish(reader_, morsel.index);
    }
    return batch;
  }

  void cancel() noexcept override { cancelled_ = true; }
  uint64_t bytes_read() const override { return bytes_read_.load(); }
  double progress() const override {
    return total_bytes_ == 0 ? 0 : static_cast<double>(bytes_done_.load()) / static_cast<double>(total_bytes_);
  }

 private:
  void open_files(FooterCache& footers) {
    files_.resize(scan_.files.size());
    plan::Scan together;
    if (shared_ != nullptr) together.columns = shared_->columns();
    std::atomic<size_t> at{0};
    const auto work = [&] {
      for (size_t i = at++; i < files_.size(); i = at++) {
        files_[i].file = &scan_.files[i];
        files_[i].footer = footers.get(scan_.files[i]);
        files_[i].columns = resolve_columns(scan_, scan_.files[i], *files_[i].footer);
        if (shared_ != nullptr) {
          files_[i].shared_columns = resolve_columns(together, scan_.files[i], *files_[i].footer);
        }
      }
    };
    std::vector<std::future<void>> helpers;
    const size_t threads = std::min<size_t>(kFooterThreads, files_.size() / 4);
    for (size_t i = 1; i < threads; ++i) helpers.push_back(std::async(std::launch::async, work));
    work();
    for (auto& helper : helpers) helper.get();
    for (OpenFile& file : files_) file.casts = make_casts(file);
  }

  /// Columns of another type in this file than the plan bound: converted with DuckDB's checks.
  std::unique_ptr<Expressions> make_casts(const OpenFile& file) const {
    std::vector<plan::Column> input;
    std::vector<plan::ExprPtr> casts;
    bool needed = false;
    for (size_t c = 0; c < scan_.columns.size(); ++c) {
      if (!file.columns[c]) continue;
      const plan::Type& have = file.columns[c]->type;
      const auto position = static_cast<uint32_t>(input.size());
      input.push_back({scan_.columns[c].name, have, true});
      plan::ExprPtr column = plan::column_ref(position, have, true);
      if (have == scan_.columns[c].type) {
        casts.push_back(std::move(column));
      } else if (scan_.columns[c].type.id == plan::TypeId::Uuid) {
        casts.push_back(plan::call("__uuid", scan_.columns[c].type, {std::move(column)}));
        needed = true;
      } else {
        casts.push_back(plan::cast(std::move(column), scan_.columns[c].type));
        needed = true;
      }
    }
    return needed ? Expressions::make(kernels_, std::move(input), std::move(casts)) : nullptr;
  }

  void plan_pieces(uint64_t batch_bytes) {
    cut_pieces(batch_bytes);
    if (shared_ == nullptr) return;
    std::vector<std::vector<std::pair<size_t, int>>> layout;
    uint64_t bytes = 0;
    for (const Piece& piece : pieces_) {
      bytes += piece.decoded_bytes;
      layout.emplace_back();
      for (const Group& group : piece.groups) layout.back().emplace_back(group.file, group.group);
    }
    if (bytes <= shared_->limit_bytes() && shared_->join(reader_, layout)) return;
    shared_->leave(reader_);
    shared_.reset();
    pieces_.clear();
    total_bytes_ = 0;
    cut_pieces(batch_bytes);
  }

  void cut_pieces(uint64_t batch_bytes) {
    uint64_t total = 0;
    std::vector<Group> groups;
    for (size_t f = 0; f < files_.size(); ++f) {
      int64_t first_row = 0;
      const auto& footer = *files_[f].footer;
      for (size_t g = 0; g < footer.row_groups.size(); ++g) {
        const parquet::RowGroup& stored = footer.row_groups[g];
        if (stored.num_rows > 0 && may_match(scan_.filters, scan_, files_[f].columns, stored)) {
          Group group{f, static_cast<cudf::size_type>(g), first_row, static_cast<uint64_t>(stored.num_rows), 0, 0};
          for (const auto& column : shared_ != nullptr ? files_[f].shared_columns : files_[f].columns) {
            if (!column) continue;
            group.decoded_bytes += decoded_bytes(stored, *column);
            group.stored_bytes +=
                static_cast<uint64_t>(stored.columns.at(column->leaf).meta_data.total_compressed_size);
          }
          total += group.decoded_bytes;
          total_bytes_ += group.stored_bytes;
          groups.push_back(group);
        }
        first_row += stored.num_rows;
      }
    }
    const uint64_t share = total / (total < kSmallScanBytes ? kMorselsOfSmallScan : kMorselsOfLargeScan);
    const uint64_t target = std::clamp(share, std::min(kMinMorselBytes, batch_bytes), batch_bytes);
    for (const Group& group : groups) {
      if (pieces_.empty() || !joins(pieces_.back(), group, target)) pieces_.emplace_back();
      pieces_.back().add(group);
    }
  }

  bool joins(const Piece& piece, const Group& next, uint64_t target) const {
    const Group& last = piece.groups.back();
    // Half a group more than the target is nearer to it than a piece without the group.
    if (piece.decoded_bytes + next.decoded_bytes / 2 > target || piece.rows + next.rows > kMaxMorselRows) return false;
    if (last.file == next.file)
      return last.first_row + static_cast<int64_t>(last.rows) == next.first_row || !numbered();
    return !numbered() && same_columns(files_[last.file], files_[next.file]);
  }

  /// True if a row's file or place in it is part of the row: then a piece is consecutive rows of one file.
  bool numbered() const {
    return std::any_of(scan_.columns.begin(), scan_.columns.end(),
                       [](const plan::ScanColumn& column) { return column.kind != plan::ScanColumn::Kind::File; });
  }

  /// One call reads files of one schema only.
  static bool same_columns(const OpenFile& a, const OpenFile& b) {
    return a.footer == b.footer || a.footer->schema == b.footer->schema;
  }

  Piece part_of(const Piece& whole, const Morsel& morsel) const {
    if (morsel.parts == 1) return whole;
    const size_t begin = whole.groups.size() * morsel.part / morsel.parts;
    const size_t end = whole.groups.size() * (morsel.part + 1) / morsel.parts;
    Piece piece;
    for (size_t i = begin; i < end; ++i) piece.add(whole.groups[i]);
    return piece;
  }

  /// The file's columns, in the order of scan_.columns (null where one is not from the file), in bound types.
  Batch read_columns(const TaskContext& context, const OpenFile& file, const Piece& piece,
                     const SharedReads::Decoded* decoded) const {
    Batch batch;
    batch.rows = static_cast<cudf::size_type>(piece.rows);
    batch.columns.resize(scan_.columns.size());
    std::vector<FileColumn> columns;
    std::vector<size_t> positions;
    for (size_t c = 0; c < scan_.columns.size(); ++c) {
      if (!file.columns[c]) continue;
      columns.push_back(*file.columns[c]);
      positions.push_back(c);
    }
    if (columns.empty()) return batch;
    Batch stored;
    stored.rows = batch.rows;
    if (decoded != nullptr) {
      for (const size_t c : positions) stored.columns.push_back(decoded->at(scan_.columns[c].name));
    } else {
      stored.columns = read_stored(context, piece, columns);
    }
    if (file.casts != nullptr) stored.columns = file.casts->evaluate(context, stored);
    for (size_t i = 0; i < positions.size(); ++i) batch.columns[positions[i]] = std::move(stored.columns[i]);
    return batch;
  }

  using Columns = std::vector<std::unique_ptr<cudf::column>>;

  /// The columns as the file has them, in the device form of their types.
  std::vector<ColumnPtr> read_stored(const TaskContext& context, const Piece& piece,
                                     const std::vector<FileColumn>& columns) const {
    std::vector<ColumnPtr> out;
    auto decoded = decode(context, piece, columns);
    for (size_t i = 0; i < decoded.size(); ++i) {
      const cudf::data_type wanted = device_type(columns[i].type);
      if (cudf::is_duration(decoded[i]->type()))
        decoded[i] = time_of_day(context, columns[i].type, std::move(decoded[i]));
      // The same value in another width: a decimal that the file keeps in more bytes than its precision needs.
      if (decoded[i]->type() != wanted) decoded[i] = cudf::cast(decoded[i]->view(), wanted, context.stream, context.mr);
      out.emplace_back(std::move(decoded[i]));
    }
    return out;
  }

  std::shared_ptr<const SharedReads::Decoded> read_shared(const TaskContext& context, size_t index, const Piece& piece,
                                                          bool& decoded_here) const {
    decoded_here = false;
    return shared_->read(index, [&] {
      decoded_here = true;
      const std::vector<std::optional<FileColumn>>& columns = files_[piece.groups.front().file].shared_columns;
      std::vector<FileColumn> wanted;
      for (const auto& column : columns) {
        if (column) wanted.push_back(*column);
      }
      auto stored = read_stored(context, piece, wanted);
      check_cuda(cudaStreamSynchronize(context.stream.get()));
      SharedReads::Decoded decoded;
      size_t next = 0;
      for (size_t c = 0; c < columns.size(); ++c) {
        if (columns[c]) decoded.emplace(shared_->columns()[c].name, std::move(stored[next++]));
      }
      return decoded;
    });
  }

  Columns decode(const TaskContext& context, const Piece& piece, const std::vector<FileColumn>& columns) const {
    try {
      return decode_once(context, piece, columns);
    } catch (const Exception&) {
      throw;  // shortage, cancellation, a file that ends early
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& e) {
      check_device(context, piece);
      throw Exception(ErrorCode::CorruptFile, broken_part(context, piece, columns) + " cannot be decoded (" + e.what() +
                                                  "): the file is damaged");
    }
  }

  /// Throws DeviceLost, with the files that were being decoded, if that is what happened: damage that no check found
  /// can make libcudf's kernels fault.
  void check_device(const TaskContext& context, const Piece& piece) const {
    try {
      check_cuda(cudaStreamSynchronize(context.stream.get()));
    } catch (const Exception& e) {
      throw Exception(e.code(),
                      e.error().message + ". It was decoding " + files_[piece.groups.front().file].file->path +
                          (piece.groups.front().file == piece.groups.back().file ? "" : " and files after it") +
                          ": if it happens again, that file may be damaged");
    }
  }

  /// Reads the row groups and columns one at a time to find the one that fails: "FILE, column NAME".
  std::string broken_part(const TaskContext& context, const Piece& piece,
                          const std::vector<FileColumn>& columns) const {
    for (const Group& group : piece.groups) {
      Piece one;
      one.add(group);
      for (const FileColumn& column : columns) {
        try {
          decode_once(context, one, {column});
        } catch (const std::exception&) {
          return files_[group.file].file->path + ", column " + column.name;
        }
      }
    }
    return files_[piece.groups.front().file].file->path + ", column " + columns.front().name;
  }

  static ChunkRequest chunk_of(const parquet::RowGroup& group, const FileColumn& column) {
    const parquet::ColumnChunkMetaData& chunk = group.columns.at(column.leaf).meta_data;
    const bool dictionary = chunk.dictionary_page_offset > 0 && chunk.dictionary_page_offset < chunk.data_page_offset;
    const FileRange range{static_cast<uint64_t>(dictionary ? chunk.dictionary_page_offset : chunk.data_page_offset),
                          static_cast<uint64_t>(chunk.total_compressed_size)};
    return {range,         column.name,    chunk.codec,
            column.stored, group.num_rows, static_cast<uint64_t>(chunk.total_uncompressed_size)};
  }

  /// A footer without row groups. The reader takes its own copy of a footer at each call, and one of thousands of
  /// chunks takes milliseconds to copy: it gets what it reads.
  static parquet::FileMetaData empty_footer(const parquet::FileMetaData& whole) {
    parquet::FileMetaData footer;
    footer.version = whole.version;
    footer.schema = whole.schema;
    footer.created_by = whole.created_by;
    footer.column_orders = whole.column_orders;
    return footer;
  }

  static parquet::RowGroup with_columns(const parquet::RowGroup& whole, const std::vector<FileColumn>& columns) {
    parquet::RowGroup group;
    group.total_byte_size = whole.total_byte_size;
    group.num_rows = whole.num_rows;
    for (const FileColumn& column : columns) group.columns.push_back(whole.columns.at(column.leaf));
    return group;
  }

  /// Tells the reader where the chunks are now, and of which codec. `chunks`: of each row group those of its columns.
  static void place_chunks(parquet::FileMetaData& footer, const std::vector<ChunkRequest>& chunks) {
    size_t next = 0;
    for (parquet::RowGroup& group : footer.row_groups) {
      for (parquet::ColumnChunk& column : group.columns) {
        const ChunkRequest& chunk = chunks.at(next++);
        column.meta_data.codec = chunk.codec;
        column.meta_data.total_compressed_size = static_cast<int64_t>(chunk.range.bytes);
        column.meta_data.dictionary_page_offset = 0;  // its page is the chunk's first, whose header says what it is
        column.meta_data.data_page_offset = static_cast<int64_t>(chunk.range.offset);
      }
    }
  }

  Columns decode_once(const TaskContext& context, const Piece& piece, const std::vector<FileColumn>& columns) const {
    std::vector<FileRequest> requests;
    std::vector<parquet::FileMetaData> footers;
    size_t last = files_.size();
    for (const Group& group : piece.groups) {
      if (group.file != last) {
        last = group.file;
        requests.push_back({files_[last].file, {}});
        footers.push_back(empty_footer(*files_[last].footer));
      }
      const parquet::RowGroup& stored = files_[last].footer->row_groups.at(static_cast<size_t>(group.group));
      for (const FileColumn& column : columns) requests.back().chunks.push_back(chunk_of(stored, column));
      footers.back().row_groups.push_back(with_columns(stored, columns));
      footers.back().num_rows += stored.num_rows;
    }
    std::vector<std::unique_ptr<cudf::io::datasource>> sources;
    auto loaded = read_stored_chunks(context, services_.reader, services_.checked, requests);
    for (size_t i = 0; i < loaded.size(); ++i) {
      place_chunks(footers[i], loaded[i].chunks);
      sources.push_back(std::move(loaded[i].source));
    }
    std::vector<std::string> names;
    for (const FileColumn& column : columns) names.push_back(column.name);
    auto options = cudf::io::parquet_reader_options::builder()
                       .column_names(std::move(names))
                       .use_pandas_metadata(false)
                       .use_arrow_schema(false)
                       .build();
    auto result = cudf::io::read_parquet(std::move(sources), std::move(footers), options, context.stream, context.mr);
    auto decoded = result.tbl->release();
    WEFT_INVARIANT(decoded.size() == columns.size(), "the Parquet reader gave another number of columns");
    return decoded;
  }

  void add_other_columns(const TaskContext& context, const OpenFile& file, const Piece& piece, Batch& batch) const {
    size_t constant = 0;
    for (size_t c = 0; c < scan_.columns.size(); ++c) {
      const plan::ScanColumn& column = scan_.columns[c];
      if (column.kind == plan::ScanColumn::Kind::FileConstant) {
        batch.columns[c] = constant_column(context, file.file->constants.at(constant++), batch.rows);
      } else if (column.kind == plan::ScanColumn::Kind::FileRowNumber) {
        const cudf::numeric_scalar<int64_t> first(piece.groups.front().first_row, true, context.stream, context.mr);
        const cudf::numeric_scalar<int64_t> step(1, true, context.stream, context.mr);
        batch.columns[c] = cudf::sequence(batch.rows, first, step, context.stream, context.mr);
      } else if (!file.columns[c]) {
        batch.columns[c] = constant_column(context, plan::Value::null(column.type), batch.rows);
      }
    }
  }

  ColumnPtr constant_column(const TaskContext& context, const plan::Value& value, cudf::size_type rows) const {
    const auto expression = Expressions::make(kernels_, {}, {plan::constant(value)});
    Batch none;
    none.rows = rows;
    return expression->evaluate(context, none).front();
  }

  const FileServices services_;
  KernelCache& kernels_;
  const plan::Scan& scan_;
  std::shared_ptr<SharedReads> shared_;  // null: this scan reads alone
  const size_t reader_;
  std::vector<plan::Column> row_;
  std::unique_ptr<Predicate> filter_;
  std::vector<OpenFile> files_;
  std::vector<Piece> pieces_;
  uint64_t total_bytes_ = 0;
  std::atomic<uint64_t> taken_{0};
  std::atomic<bool> cancelled_{false};
  std::atomic<uint64_t> bytes_done_{0};
  std::atomic<uint64_t> bytes_read_{0};  // less what another scan had decoded
};

}  // namespace

std::unique_ptr<SourceOperator> make_parquet_scan(const FileServices& files, KernelCache& kernels,
                                                  const plan::Scan& scan, uint64_t batch_bytes,
                                                  std::shared_ptr<SharedReads> shared, size_t reader) {
  return std::make_unique<ParquetScan>(files, kernels, scan, batch_bytes, std::move(shared), reader);
}

}  // namespace weft::gpu
