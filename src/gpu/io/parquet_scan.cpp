// The Parquet source: which row groups of which files, in morsels, and the reading of one morsel.
#include <algorithm>
#include <atomic>
#include <cudf/column/column_factories.hpp>
#include <cudf/filling.hpp>
#include <cudf/io/datasource.hpp>
#include <cudf/io/parquet.hpp>
#include <cudf/io/parquet_metadata.hpp>
#include <cudf/scalar/scalar_factories.hpp>
#include <cudf/unary.hpp>
#include <future>

#include "gpu/exec/cuda_check.hpp"
#include "gpu/io/file_columns.hpp"
#include "gpu/io/footer_cache.hpp"
#include "gpu/io/row_group_pruning.hpp"
#include "gpu/io/sources.hpp"

namespace weft::gpu {
namespace {

namespace parquet = cudf::io::parquet;

constexpr uint64_t kMinMorselBytes = uint64_t{64} << 20;
constexpr uint64_t kMorselsPerScan = 32;  // enough for every worker to overlap reading with computing
constexpr uint64_t kMaxMorselRows = uint64_t{1} << 30;
constexpr unsigned kFooterThreads = 8;

struct OpenFile {
  const plan::ScanFile* file = nullptr;
  Footer footer;
  std::vector<std::optional<FileColumn>> columns;
  std::unique_ptr<Expressions> casts;  // file types to bound types; null if they are the same
};

/// Consecutive row groups of one file.
struct Piece {
  size_t file = 0;
  std::vector<cudf::size_type> groups;
  int64_t first_row = 0;  // file row number of the first group's first row
  uint64_t rows = 0;
  uint64_t decoded_bytes = 0;
  uint64_t stored_bytes = 0;
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
  ParquetScan(FooterCache& footers, KernelCache& kernels, const plan::Scan& scan, uint64_t batch_bytes)
      : kernels_(kernels), scan_(scan) {
    for (const plan::ScanColumn& column : scan.columns) row_.push_back({column.name, column.type, true});
    if (!scan.filters.empty()) filter_ = Predicate::make(kernels, row_, scan.filters);
    open_files(footers);
    plan_pieces(batch_bytes);
  }

  Next next(Morsel& morsel, const std::function<void()>&) override {
    const uint64_t index = taken_.load();
    if (cancelled_.load() || index >= pieces_.size()) return Next::Done;
    taken_ = index + 1;
    morsel = Morsel{};
    morsel.sequence = morsel.index = index;
    // Decoded columns, the compressed and decompressed pages beside them, and the copy that a filter makes.
    morsel.estimated_bytes = pieces_[index].decoded_bytes * 3 + pieces_[index].stored_bytes;
    return Next::Morsel;
  }

  bool can_split(const Morsel& morsel) const override {
    return pieces_[morsel.index].groups.size() >= morsel.parts * 2;
  }

  Batch read(const TaskContext& context, const Morsel& morsel) override {
    const Piece piece = part_of(pieces_[morsel.index], morsel);
    const OpenFile& file = files_[piece.file];
    Batch batch = read_columns(context, file, piece);
    context.cancellation.check();
    add_other_columns(context, file, piece, batch);
    if (filter_ != nullptr) {
      batch = filter_->filter(context, batch, scan_.projection);
    } else {
      std::vector<ColumnPtr> columns;
      for (const uint32_t column : scan_.projection) columns.push_back(batch.columns[column]);
      batch.columns = std::move(columns);
    }
    bytes_read_ += piece.stored_bytes;
    return batch;
  }

  void cancel() noexcept override { cancelled_ = true; }
  uint64_t bytes_read() const override { return bytes_read_.load(); }
  double progress() const override {
    return total_bytes_ == 0 ? 0 : static_cast<double>(bytes_read_.load()) / static_cast<double>(total_bytes_);
  }

 private:
  void open_files(FooterCache& footers) {
    files_.resize(scan_.files.size());
    std::atomic<size_t> at{0};
    const auto work = [&] {
      for (size_t i = at++; i < files_.size(); i = at++) {
        files_[i].file = &scan_.files[i];
        files_[i].footer = footers.get(scan_.files[i]);
        files_[i].columns = resolve_columns(scan_, scan_.files[i], *files_[i].footer);
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
      } else {
        casts.push_back(plan::cast(std::move(column), scan_.columns[c].type));
        needed = true;
      }
    }
    return needed ? Expressions::make(kernels_, std::move(input), std::move(casts)) : nullptr;
  }

  void plan_pieces(uint64_t batch_bytes) {
    uint64_t total = 0;
    std::vector<Piece> groups;
    for (size_t f = 0; f < files_.size(); ++f) {
      int64_t first_row = 0;
      const auto& footer = *files_[f].footer;
      for (size_t g = 0; g < footer.row_groups.size(); ++g) {
        const parquet::RowGroup& group = footer.row_groups[g];
        if (group.num_rows > 0 && may_match(scan_.filters, scan_, files_[f].columns, group)) {
          Piece piece{f, {static_cast<cudf::size_type>(g)}, first_row, static_cast<uint64_t>(group.num_rows), 0, 0};
          for (const auto& column : files_[f].columns) {
            if (!column) continue;
            piece.decoded_bytes += decoded_bytes(group, *column);
            piece.stored_bytes += static_cast<uint64_t>(group.columns.at(column->leaf).meta_data.total_compressed_size);
          }
          total += piece.decoded_bytes;
          total_bytes_ += piece.stored_bytes;
          groups.push_back(std::move(piece));
        }
        first_row += group.num_rows;
      }
    }
    const uint64_t target = std::clamp(total / kMorselsPerScan, std::min(kMinMorselBytes, batch_bytes), batch_bytes);
    for (Piece& group : groups) {
      if (!pieces_.empty() && joins(pieces_.back(), group, target)) {
        Piece& last = pieces_.back();
        last.groups.push_back(group.groups.front());
        last.rows += group.rows;
        last.decoded_bytes += group.decoded_bytes;
        last.stored_bytes += group.stored_bytes;
      } else {
        pieces_.push_back(std::move(group));
      }
    }
  }

  static bool joins(const Piece& last, const Piece& next, uint64_t target) {
    return last.file == next.file && last.first_row + static_cast<int64_t>(last.rows) == next.first_row &&
           last.decoded_bytes + next.decoded_bytes <= target && last.rows + next.rows <= kMaxMorselRows;
  }

  Piece part_of(const Piece& whole, const Morsel& morsel) const {
    if (morsel.parts == 1) return whole;
    const size_t begin = whole.groups.size() * morsel.part / morsel.parts;
    const size_t end = whole.groups.size() * (morsel.part + 1) / morsel.parts;
    Piece piece{whole.file, {}, whole.first_row, 0, 0, whole.stored_bytes / morsel.parts};
    const auto& groups = files_[whole.file].footer->row_groups;
    for (size_t i = 0; i < end; ++i) {
      const auto rows = groups[static_cast<size_t>(whole.groups[i])].num_rows;
      if (i < begin) {
        piece.first_row += rows;
      } else {
        piece.groups.push_back(whole.groups[i]);
        piece.rows += static_cast<uint64_t>(rows);
      }
    }
    return piece;
  }

  /// The file's columns, in the order of scan_.columns (null where one is not from the file), in bound types.
  Batch read_columns(const TaskContext& context, const OpenFile& file, const Piece& piece) const {
    Batch batch;
    batch.rows = static_cast<cudf::size_type>(piece.rows);
    batch.columns.resize(scan_.columns.size());
    std::vector<std::string> names;
    std::vector<size_t> positions;
    std::vector<plan::Type> types;
    for (size_t c = 0; c < scan_.columns.size(); ++c) {
      if (!file.columns[c]) continue;
      names.push_back(file.columns[c]->name);
      positions.push_back(c);
      types.push_back(file.columns[c]->type);
    }
    if (names.empty()) return batch;
    Batch stored;
    stored.rows = batch.rows;
    auto columns = decode(context, file, piece, names);
    for (size_t i = 0; i < columns.size(); ++i) {
      const cudf::data_type wanted = device_type(types[i]);
      // The same value in another width: a decimal that the file keeps in more bytes than its precision needs.
      if (columns[i]->type() != wanted) columns[i] = cudf::cast(columns[i]->view(), wanted, context.stream, context.mr);
      stored.columns.emplace_back(std::move(columns[i]));
    }
    if (file.casts != nullptr) stored.columns = file.casts->evaluate(context, stored);
    for (size_t i = 0; i < positions.size(); ++i) batch.columns[positions[i]] = std::move(stored.columns[i]);
    return batch;
  }

  static std::vector<std::unique_ptr<cudf::column>> decode(const TaskContext& context, const OpenFile& file,
                                                           const Piece& piece, const std::vector<std::string>& names) {
    try {
      return decode_once(context, file, piece, names);
    } catch (const Exception&) {
      throw;  // shortage, cancellation
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& e) {
      const cudaError_t status = cudaStreamSynchronize(context.stream.get());
      check_cuda(status);
      throw Exception(ErrorCode::CorruptFile, file.file->path + ", column " +
                                                  broken_column(context, file, piece, names) + " cannot be decoded (" +
                                                  e.what() + "): the file is damaged");
    }
  }

  /// Reads the columns one at a time to find the one that fails.
  static std::string broken_column(const TaskContext& context, const OpenFile& file, const Piece& piece,
                                   const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      try {
        decode_once(context, file, piece, {name});
      } catch (const std::exception&) {
        return name;
      }
    }
    return names.front();
  }

  static std::vector<std::unique_ptr<cudf::column>> decode_once(const TaskContext& context, const OpenFile& file,
                                                                const Piece& piece,
                                                                const std::vector<std::string>& names) {
    std::vector<std::unique_ptr<cudf::io::datasource>> sources;
    sources.push_back(cudf::io::datasource::create(file.file->path, 0, 0, file.file->size_bytes));
    auto options = cudf::io::parquet_reader_options::builder()
                       .column_names(names)
                       .row_groups({piece.groups})
                       .use_pandas_metadata(false)
                       .use_arrow_schema(false)
                       .build();
    std::vector<parquet::FileMetaData> footers{*file.footer};
    auto result = cudf::io::read_parquet(std::move(sources), std::move(footers), options, context.stream, context.mr);
    auto columns = result.tbl->release();
    WEFT_INVARIANT(columns.size() == names.size(), "the Parquet reader gave another number of columns");
    return columns;
  }

  void add_other_columns(const TaskContext& context, const OpenFile& file, const Piece& piece, Batch& batch) const {
    size_t constant = 0;
    for (size_t c = 0; c < scan_.columns.size(); ++c) {
      const plan::ScanColumn& column = scan_.columns[c];
      if (column.kind == plan::ScanColumn::Kind::FileConstant) {
        batch.columns[c] = constant_column(context, file.file->constants.at(constant++), batch.rows);
      } else if (column.kind == plan::ScanColumn::Kind::FileRowNumber) {
        const cudf::numeric_scalar<int64_t> first(piece.first_row, true, context.stream, context.mr);
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

  KernelCache& kernels_;
  const plan::Scan& scan_;
  std::vector<plan::Column> row_;
  std::unique_ptr<Predicate> filter_;
  std::vector<OpenFile> files_;
  std::vector<Piece> pieces_;
  uint64_t total_bytes_ = 0;
  std::atomic<uint64_t> taken_{0};
  std::atomic<bool> cancelled_{false};
  std::atomic<uint64_t> bytes_read_{0};
};

}  // namespace

std::unique_ptr<SourceOperator> make_parquet_scan(FooterCache& footers, KernelCache& kernels, const plan::Scan& scan,
                                                  uint64_t batch_bytes) {
  return std::make_unique<ParquetScan>(footers, kernels, scan, batch_bytes);
}

}  // namespace weft::gpu
