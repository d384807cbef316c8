// `weft <suite> generate`: the data of a suite as Parquet files in a folder.
#pragma once

#include <iosfwd>

#include "workload/suite.hpp"

namespace weft::workload {

/// Does nothing if the folder already holds this scale in this form; starts over after a run that was interrupted.
/// Progress goes to `out`. Throws InvalidInput for wrong options and for a folder that holds other data (unless
/// `overwrite`), IoError if the disk is too small or full, LibraryMissing if the generator is not installed.
void generate(const Suite& suite, const GenerateOptions& options, std::ostream& out);

}  // namespace weft::workload
