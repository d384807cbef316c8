#include "engine/arrow_schema.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace weft::engine {
namespace {

using plan::Column;
using plan::Type;
using plan::TypeId;

TEST(ArrowSchema, FormatsAreDuckDbs) {
  EXPECT_EQ(arrow_format(Type::of(TypeId::BigInt)), "l");
  EXPECT_EQ(arrow_format(Type::decimal(15, 2)), "d:15,2");
  EXPECT_EQ(arrow_format(Type::of(TypeId::HugeInt)), "d:38,0");
  EXPECT_EQ(arrow_format(Type::of(TypeId::Varchar)), "u");
  EXPECT_EQ(arrow_format(Type::of(TypeId::Date)), "tdD");
  EXPECT_EQ(arrow_format(Type::of(TypeId::TimestampS)), "tss:");
  EXPECT_EQ(arrow_format(Type::of(TypeId::Timestamp)), "tsu:");
  EXPECT_EQ(arrow_format(Type::of(TypeId::Boolean)), "b");
}

TEST(ArrowSchema, TypesWithoutAFormThrow) {
  EXPECT_THROW(arrow_format(Type::of(TypeId::Interval)), Exception);
  EXPECT_THROW(arrow_schema({Column{"a", Type{TypeId::Unsupported, 0, 0, "MAP"}, true}}), Exception);
}

TEST(ArrowSchema, ReadsBackWhatItWrites) {
  const std::vector<Column> columns = {{"a", Type::of(TypeId::Integer), true},
                                       {"b, \"quoted\"", Type::decimal(38, 12), true},
                                       {"", Type::of(TypeId::TimestampNs), true}};
  HostSchema schema = arrow_schema(columns);
  ASSERT_EQ(schema->n_children, 3);
  EXPECT_STREQ(schema->format, "+s");
  EXPECT_EQ(schema->children[0]->flags, ARROW_FLAG_NULLABLE);
  const auto back = columns_of(*schema.get());
  ASSERT_EQ(back.size(), columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    EXPECT_EQ(back[i].name, columns[i].name);
    EXPECT_EQ(back[i].type, columns[i].type);
  }
}

TEST(ArrowSchema, UnknownFormatsKeepTheirText) {
  HostSchema schema = arrow_schema({Column{"a", Type::of(TypeId::Varchar), true}});
  ArrowSchema* child = schema->children[0];
  child->format = "tsu:UTC";
  auto back = columns_of(*schema.get());
  EXPECT_EQ(back[0].type.id, TypeId::Unsupported);
  EXPECT_EQ(back[0].type.text, "tsu:UTC");
  child->format = "d:15,2,256";
  EXPECT_EQ(columns_of(*schema.get())[0].type.id, TypeId::Unsupported);
}

TEST(ArrowSchema, NoColumnsIsASchemaToo) {
  HostSchema schema = arrow_schema({});
  EXPECT_EQ(schema->n_children, 0);
  EXPECT_TRUE(columns_of(*schema.get()).empty());
}

}  // namespace
}  // namespace weft::engine
