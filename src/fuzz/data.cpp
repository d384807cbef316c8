#include "fuzz/data.hpp"

#include <algorithm>
#include <limits>

#include "fuzz/values.hpp"
#include "workload/duckdb_text.hpp"

namespace weft::fuzz {
namespace {

using plan::Type;
using plan::TypeId;

/// How a column's values are chosen.
struct Profile {
  bool edges = false;
  bool texts_of_values = false;
  unsigned null_percent = 0;
  unsigned distinct = 0;  // 0: each value anew; else from so many, the first of them far more often
};

Profile make_profile(const Type& type, Random& random) {
  Profile profile;
  profile.edges = random.chance(35);
  profile.texts_of_values = type.id == TypeId::Varchar && random.chance(35);
  static constexpr unsigned kNulls[] = {0, 0, 10, 10, 30, 90, 100};
  profile.null_percent = kNulls[random.below(random.chance(15) ? 7 : 5)];
  static constexpr unsigned kDistinct[] = {0, 0, 3, 5, 12};
  profile.distinct = kDistinct[random.below(5)];
  return profile;
}

std::string make_value(const Type& type, const Profile& profile, Random& random) {
  if (profile.texts_of_values) return text_of_a_value(random);
  if (profile.edges && random.chance(60)) return edge_value(type, random);
  return plain_value(type, random);
}

double bound_of(const Type& type, const Profile& profile) {
  if (type.is_numeric()) return profile.edges ? greatest_of(type) : kPlainBound;
  if (type.id == TypeId::Date || type.is_timestamp() || type.is_zoned()) {
    return profile.edges ? std::numeric_limits<double>::infinity() : 1;
  }
  return 0;
}

void add_column(Table& table, const std::string& name, const Type& type, Random& random) {
  const Profile profile = make_profile(type, random);
  table.columns.push_back({name, type, bound_of(type, profile)});
  std::vector<std::string> pool;
  for (unsigned i = 0; i < profile.distinct; ++i) pool.push_back(make_value(type, profile, random));
  for (auto& row : table.rows) {
    if (random.chance(profile.null_percent)) {
      row.emplace_back();
    } else if (pool.empty()) {
      row.emplace_back(make_value(type, profile, random));
    } else {
      row.emplace_back(random.chance(40) ? pool.front() : random.pick(pool));
    }
  }
}

size_t row_count(size_t table, Random& random) {
  if (table > 0 && random.chance(8)) return 0;
  if (table > 0 && random.chance(8)) return 1;
  if (random.chance(8)) return static_cast<size_t>(random.between(2100, 5000));
  return static_cast<size_t>(random.between(4, random.chance(30) ? 120 : 40));
}

Table make_table(size_t number, Random& random) {
  Table table;
  table.name = "t" + std::to_string(number);
  table.rows.resize(row_count(number, random));
  table.has_id = random.chance(85);
  if (table.has_id) {
    table.columns.push_back({"id", Type::of(TypeId::Integer), static_cast<double>(table.rows.size())});
    for (size_t i = 0; i < table.rows.size(); ++i) table.rows[i].emplace_back(std::to_string(i + 1));
  }
  const auto columns = static_cast<size_t>(random.between(4, 8));
  for (size_t i = 0; i < columns; ++i) {
    const bool common = random.chance(40);  // so that tables have columns to be joined on
    static const Type kCommon[] = {Type::of(TypeId::Integer), Type::of(TypeId::Varchar),   Type::of(TypeId::BigInt),
                                   Type::of(TypeId::Double),  Type::of(TypeId::Timestamp), Type::of(TypeId::Date)};
    add_column(table, "c" + std::to_string(i),
               i == 0   ? kCommon[0]
               : common ? kCommon[random.below(6)]
                        : random.pick(all_types()),
               random);
  }
  table.parquet = random.chance(60);
  if (table.parquet && table.rows.size() > 3 && random.chance(30)) table.files = 2;
  static constexpr const char* kCodecs[] = {"snappy", "zstd", "gzip", "lz4_raw", "brotli", "uncompressed"};
  if (table.parquet && random.chance(60))
    table.parquet_options = std::string(", COMPRESSION ") + kCodecs[random.below(6)];
  if (table.parquet && random.chance(40)) table.parquet_options += ", PARQUET_VERSION V2";
  return table;
}

/// INSERT of rows [begin, end): texts, which DuckDB casts to the columns' types.
std::string insert_sql(const Table& table, const std::string& name, size_t begin, size_t end) {
  std::string text = "INSERT INTO " + name + " VALUES ";
  for (size_t i = begin; i < end; ++i) {
    text += i > begin ? ", (" : "(";
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const auto& value = table.rows[i][c];
      text += (c > 0 ? ", " : "") + (value ? workload::sql_text(*value) : std::string("NULL"));
    }
    text += ")";
  }
  return text;
}

void create(const Table& table, const std::string& name, std::vector<std::string>& out) {
  std::string columns;
  for (const auto& column : table.columns) {
    columns += (columns.empty() ? "" : ", ") + column.name + " " + column.type.to_string();
  }
  out.push_back("CREATE TABLE " + name + " (" + columns + ")");
  constexpr size_t kRows = 500;
  for (size_t i = 0; i < table.rows.size(); i += kRows) {
    out.push_back(insert_sql(table, name, i, std::min(i + kRows, table.rows.size())));
  }
}

void write_files(const Table& table, const std::string& folder, std::vector<std::string>& out) {
  const std::string rows = table.name + "_rows";
  create(table, rows, out);
  const std::string prefix = (folder.empty() ? "" : folder + "/") + table.name + ".";
  std::string list;
  for (uint32_t part = 0; part < table.files; ++part) {
    const std::string path = workload::sql_text(prefix + std::to_string(part) + ".parquet");
    const std::string where =
        table.files == 1 ? "" : " WHERE rowid % " + std::to_string(table.files) + " = " + std::to_string(part);
    out.push_back("COPY (SELECT * FROM " + rows + where + ") TO " + path + " (FORMAT parquet, ROW_GROUP_SIZE 2048" +
                  table.parquet_options + ")");
    list += (list.empty() ? "" : ", ") + path;
  }
  out.push_back("CREATE VIEW " + table.name + " AS SELECT * FROM read_parquet([" + list + "])");
}

}  // namespace

std::vector<Table> make_tables(uint64_t seed) {
  Random random(seed);
  std::vector<Table> tables;
  const auto count = static_cast<size_t>(random.between(2, 4));
  for (size_t i = 0; i < count; ++i) tables.push_back(make_table(i, random));
  return tables;
}

std::vector<std::string> setup_sql(const std::vector<Table>& tables, const std::string& folder) {
  std::vector<std::string> out;
  for (const auto& table : tables) {
    if (table.parquet) {
      write_files(table, folder, out);
    } else {
      create(table, table.name, out);
    }
  }
  return out;
}

std::vector<std::string> drop_sql(const std::vector<Table>& tables) {
  std::vector<std::string> out;
  for (const auto& table : tables) {
    if (table.parquet) out.push_back("DROP VIEW IF EXISTS " + table.name);
    out.push_back("DROP TABLE IF EXISTS " + table.name + (table.parquet ? "_rows" : ""));
  }
  return out;
}

}  // namespace weft::fuzz
