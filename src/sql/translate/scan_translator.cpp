#include "sql/translate/scan_translator.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "duckdb/catalog/catalog_entry/table_catalog_entry.hpp"
#include "duckdb/common/file_system.hpp"
#include "duckdb/common/hive_partitioning.hpp"
#include "duckdb/common/multi_file/multi_file_list.hpp"
#include "duckdb/common/multi_file/multi_file_reader.hpp"
#include "duckdb/common/multi_file/multi_file_states.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/planner/filter/expression_filter.hpp"
#include "duckdb/planner/operator/logical_get.hpp"
#include "sql/translate/expression_translator.hpp"
#include "sql/translate/parquet_chunks.hpp"
#include "sql/translate/time_zone.hpp"
#include "support/parquet_column.hpp"

namespace weft::sql {

namespace {

using support::RefusalCode;

constexpr const char* kNode = "GET";

/// Options of read_parquet that change neither values nor columns beyond what the bind data says.
constexpr std::array<std::string_view, 12> kHarmlessOptions{"filename",
                                                            "hive_partitioning",
                                                            "union_by_name",
                                                            "hive_types",
                                                            "file_row_number",
                                                            "hive_types_autocast",
                                                            "explicit_cardinality",
                                                            "can_have_nan",
                                                            "maximum_files_for_stats",
                                                            "maximum_sample_files",
                                                            "column_statistics",
                                                            "prefetch_strategy"};

bool is_parquet(const duckdb::LogicalGet& get) {
  const std::string& name = get.function.GetName().GetIdentifierName();
  return name == "read_parquet" || name == "parquet_scan";
}

/// "read_csv_auto('a.csv')": the function with its first argument.
std::string describe_call(const std::string& function, const duckdb::LogicalGet& get) {
  constexpr size_t kMaxLength = 80;
  std::string argument = get.parameters.empty() ? "" : get.parameters[0].ToSQLString();
  if (argument.size() > kMaxLength) argument = argument.substr(0, kMaxLength) + "...";
  return function + "(" + argument + ")";
}

class ParquetScan {
 public:
  ParquetScan(duckdb::ClientContext& context, duckdb::LogicalGet& get, const duckdb::MultiFileBindData& bind,
              RefusalList& why)
      : context_(context), get_(get), bind_(bind), why_(why) {}

  std::optional<Relation> translate(ExpressionList& expressions);

 private:
  void check_options();
  void read_files();
  void add_columns();
  void check_first_file();
  void add_column(const duckdb::ColumnIndex& index);
  void add_named_column(size_t index, plan::ScanColumn column);
  void add_file_constant(plan::ScanColumn column, const std::vector<plan::Value>& values);
  void add_filters(ExpressionList& expressions);
  Relation finish();

  duckdb::ClientContext& context_;
  duckdb::LogicalGet& get_;
  const duckdb::MultiFileBindData& bind_;
  RefusalList& why_;
  plan::Scan scan_;
  std::vector<plan::Column> columns_;               // of scan_.columns, for expressions
  std::vector<std::optional<uint32_t>> positions_;  // of DuckDB's column ids in scan_.columns
  std::vector<duckdb::OpenFileInfo> opened_;        // beside scan_.files
};

void ParquetScan::check_options() {
  for (const auto& option : get_.named_parameters) {
    const std::string name = duckdb::StringUtil::Lower(option.first.GetIdentifierName());
    if (std::find(kHarmlessOptions.begin(), kHarmlessOptions.end(), name) == kHarmlessOptions.end())
      why_.add(RefusalCode::UnsupportedFile, "read_parquet option " + name, kNode);
  }
  const auto& options = bind_.file_options;
  const bool mapped = options.mapping != duckdb::MultiFileColumnMappingMode::BY_NAME ||
                      bind_.reader_bind.mapping != duckdb::MultiFileColumnMappingMode::BY_NAME;
  if (mapped || !options.schema.empty() || !options.bound_schema.empty() || !bind_.reader_bind.schema.empty())
    why_.add(RefusalCode::UnsupportedFile, "read_parquet with a schema of its own", kNode);
  if (!options.custom_options.empty()) why_.add(RefusalCode::UnsupportedFile, "a custom Parquet reader", kNode);
  duckdb::Value binary_as_string;
  if (context_.TryGetCurrentSetting("binary_as_string", binary_as_string) && !binary_as_string.IsNull() &&
      binary_as_string.DefaultCastAs(duckdb::LogicalType::BOOLEAN).GetValue<bool>())
    why_.add(RefusalCode::UnsupportedFile, "setting binary_as_string", kNode);
  if (get_.has_pushed_projection) why_.add(RefusalCode::UnsupportedFile, "an expression inside the scan", kNode);
  if (get_.extra_info.sample_options) why_.add(RefusalCode::UnsupportedOperator, "TABLESAMPLE", kNode);
  if (get_.ordinality_idx.IsValid()) why_.add(RefusalCode::UnsupportedOperator, "WITH ORDINALITY", kNode);
  if (!get_.scan_partition_indices.empty()) why_.add(RefusalCode::UnsupportedOperator, "a partitioned scan", kNode);
}

void ParquetScan::read_files() {
  for (const auto& file : bind_.file_list->Files()) {
    if (duckdb::FileSystem::IsRemoteFile(file.path) || file.path.find("://") != std::string::npos) {
      why_.add(RefusalCode::UnsupportedFile, "remote file " + file.path, kNode);
      return;
    }
    struct stat status {};
    if (::stat(file.path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
      why_.add(RefusalCode::UnsupportedFile, "no regular file " + file.path, kNode);
      return;
    }
    plan::ScanFile scan_file;
    scan_file.path = std::filesystem::absolute(file.path).lexically_normal().string();
    scan_file.size_bytes = static_cast<uint64_t>(status.st_size);
    scan_file.mtime_ns = static_cast<int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec;
    scan_.files.push_back(std::move(scan_file));
    opened_.push_back(file);
  }
}

void ParquetScan::add_file_constant(plan::ScanColumn column, const std::vector<plan::Value>& values) {
  column.kind = plan::ScanColumn::Kind::FileConstant;
  bool nullable = false;
  for (size_t file = 0; file < values.size(); ++file) {
    nullable = nullable || values[file].is_null();
    scan_.files[file].constants.push_back(values[file]);
  }
  columns_.push_back(plan::Column{column.name, column.type, nullable});
  scan_.columns.push_back(std::move(column));
}

/// Column `index` of the bind data: of the files, a hive key, or the real column of filename=true.
void ParquetScan::add_named_column(size_t index, plan::ScanColumn column) {
  const auto is = [&](const duckdb::optional_idx& candidate) {
    return candidate.IsValid() && candidate.GetIndex() < bind_.names.size() && candidate.GetIndex() == index;
  };
  std::vector<plan::Value> values;
  if (is(bind_.reader_bind.filename_idx)) {
    for (const auto& file : opened_) values.push_back(plan::Value::text(file.path));
    return add_file_constant(std::move(column), values);
  }
  if (is(bind_.reader_bind.file_row_number_idx)) {
    column.kind = plan::ScanColumn::Kind::FileRowNumber;
    columns_.push_back(plan::Column{column.name, column.type, false});
    scan_.columns.push_back(std::move(column));
    return;
  }
  for (const auto& key : bind_.reader_bind.hive_partitioning_indexes) {
    if (key.index != index) continue;
    for (const auto& file : opened_) {
      auto keys = duckdb::HivePartitioning::Parse(file.path);
      values.push_back(translate_value(bind_.file_options.GetHivePartitionValue(keys[key.value], key.value, context_)));
    }
    return add_file_constant(std::move(column), values);
  }
  column.null_if_missing = bind_.file_options.SchemaIsUnion();
  columns_.push_back(plan::Column{column.name, column.type, true});
  scan_.columns.push_back(std::move(column));
}

void ParquetScan::add_column(const duckdb::ColumnIndex& index) {
  plan::ScanColumn column;
  column.name = get_.GetColumnName(index).GetIdentifierName();
  column.type = translate_type(get_.GetColumnType(index));
  if (index.HasChildren() || index.IsPushdownExtract()) {
    why_.add(RefusalCode::UnsupportedType, "field of " + column.name, kNode);
    return;
  }
  if (!index.IsVirtualColumn()) return add_named_column(index.GetPrimaryIndex(), std::move(column));
  switch (index.GetPrimaryIndex()) {
    case duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILENAME: {
      std::vector<plan::Value> values;
      for (const auto& file : opened_) values.push_back(plan::Value::text(file.path));
      return add_file_constant(std::move(column), values);
    }
    case duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER:
      column.kind = plan::ScanColumn::Kind::FileRowNumber;
      columns_.push_back(plan::Column{column.name, column.type, false});
      scan_.columns.push_back(std::move(column));
      return;
    default:
      why_.add(RefusalCode::UnsupportedFile, "virtual column " + column.name, kNode);
  }
}

void ParquetScan::add_columns() {
  for (const auto& index : get_.GetColumnIds()) {
    if (index.IsEmptyColumn()) {
      positions_.emplace_back(std::nullopt);
      continue;
    }
    positions_.emplace_back(static_cast<uint32_t>(scan_.columns.size()));
    add_column(index);
  }
}

/// Codecs and physical types. Files of one scan are mostly written alike, so only the first is looked into; the GPU's
/// scan looks at each and stops at the first that it cannot read.
void ParquetScan::check_first_file() {
  if (scan_.files.empty()) return;
  const auto chunks = first_row_group(scan_.files[0].path);
  for (const plan::ScanColumn& column : scan_.columns) {
    if (column.kind != plan::ScanColumn::Kind::File) continue;
    for (const ParquetChunk& chunk : chunks) {
      if (!duckdb::StringUtil::CIEquals(chunk.column, column.name)) continue;
      const std::string refused = support::refused_parquet_column(chunk.physical_type, chunk.codec, column.type);
      if (!refused.empty()) why_.add(RefusalCode::UnsupportedFile, refused + " of column " + column.name, kNode);
    }
  }
}

void ParquetScan::add_filters(ExpressionList& expressions) {
  const auto add = [&](const duckdb::TableFilter& filter, const std::vector<duckdb::ProjectionIndex>& references) {
    if (duckdb::ExpressionFilter::IsOptionalFilter(filter)) return;
    if (filter.filter_type != duckdb::TableFilterType::EXPRESSION_FILTER) {
      why_.add(RefusalCode::UnsupportedOperator, "a table filter of an old kind", kNode);
      return;
    }
    std::vector<std::optional<uint32_t>> positions;
    for (const auto& reference : references) positions.push_back(positions_[reference.GetIndex()]);
    const ColumnScope scope(columns_, std::move(positions));
    ExpressionTranslator translator(scope, kNode, expressions, why_);
    translator.translate_conjuncts(*filter.Cast<duckdb::ExpressionFilter>().expr, scan_.filters);
  };
  for (auto it = get_.table_filters.begin(); it != get_.table_filters.end(); ++it)
    add((*it).Filter(), {(*it).GetIndex()});
  for (const auto& filter : get_.table_filters.GetMultiColumnFilters()) {
    const auto& indexes = filter->Cast<duckdb::ExpressionFilter>().column_indexes;
    add(*filter, {indexes.begin(), indexes.end()});
  }
}

Relation ParquetScan::finish() {
  Relation relation;
  const auto bindings = get_.GetColumnBindings();
  relation.bindings.assign(bindings.begin(), bindings.end());
  std::vector<plan::Column> output;
  for (size_t i = 0; i < relation.bindings.size(); ++i) {
    const size_t id = get_.projection_ids.empty() ? i : get_.projection_ids[i].GetIndex();
    if (id >= positions_.size() || !positions_[id]) {
      relation.positions.emplace_back(std::nullopt);
      continue;
    }
    relation.positions.emplace_back(static_cast<uint32_t>(output.size()));
    scan_.projection.push_back(*positions_[id]);
    output.push_back(columns_[*positions_[id]]);
  }
  if (scan_.files.empty()) {
    relation.node = make_node(plan::Values{}, {}, std::move(output), get_);
  } else {
    relation.node = make_node(std::move(scan_), {}, std::move(output), get_);
  }
  return relation;
}

std::optional<Relation> ParquetScan::translate(ExpressionList& expressions) {
  check_options();
  if (why_.empty()) read_files();
  if (!why_.empty()) return std::nullopt;
  scan_.table_name = opened_.empty() ? "no files" : std::filesystem::path(opened_[0].path).stem().string();
  add_columns();
  if (why_.empty()) check_first_file();
  if (!why_.empty()) return std::nullopt;
  add_filters(expressions);
  Relation relation = finish();
  if (why_.empty()) why_.add(check_node(context_, *relation.node), kNode);
  if (!why_.empty()) return std::nullopt;
  return relation;
}

}  // namespace

ScanTranslation translate_scan(duckdb::ClientContext& context, duckdb::LogicalGet& get, ExpressionList& expressions) {
  ScanTranslation result;
  const std::string& function = get.function.GetName().GetIdentifierName();
  const auto table = get.GetTable();
  result.description = table ? "table " + table->name.GetIdentifierName() : describe_call(function, get);
  if (!get.children.empty()) {
    result.why.add(RefusalCode::UnsupportedOperator, function + " of a relation", kNode);
    return result;
  }
  const auto* bind = is_parquet(get) ? dynamic_cast<duckdb::MultiFileBindData*>(get.bind_data.get()) : nullptr;
  if (!bind) {
    result.why.add(RefusalCode::HostTable, result.description, kNode);
    return result;
  }
  result.relation = ParquetScan(context, get, *bind, result.why).translate(expressions);
  return result;
}

}  // namespace weft::sql
