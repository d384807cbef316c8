// One JSON array of objects, one object a row and line; see json_value.hpp for the values.
#include <ostream>

#include "cli/render/json_value.hpp"
#include "cli/render/renderer.hpp"

namespace weft::cli {

namespace {

class JsonRenderer : public Renderer {
 public:
  explicit JsonRenderer(std::ostream& out) : out_(out) {}

  void begin(const std::vector<plan::Column>& columns) override {
    for (const plan::Column& column : columns) keys_.push_back(json_string(column.name) + ":");
    out_ << '[';
  }

  void rows(const ArrowSchema& schema, const ArrowArray& batch) override {
    for (int64_t row = 0; row < batch.length; ++row) {
      std::string line = first_ ? "{" : ",\n{";
      first_ = false;
      for (size_t i = 0; i < keys_.size(); ++i) {
        if (i != 0) line += ',';
        line += keys_[i] + json_value(*schema.children[i], *batch.children[i], batch.offset + row);
      }
      out_ << line << '}';
    }
  }

  void end() override { out_ << "]\n"; }

 private:
  std::ostream& out_;
  std::vector<std::string> keys_;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<Renderer> make_json_renderer(std::ostream& out) { return std::make_unique<JsonRenderer>(out); }

}  // namespace weft::cli
