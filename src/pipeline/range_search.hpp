// Joins whose build rows are found by their order: which conditions a search answers.
#pragma once

#include "pipeline/pipeline.hpp"

namespace weft::pipeline {

/// Sets spec.search, and takes out of spec.residual what the search answers. All else of the spec is there.
/// - An ASOF join is always a search.
/// - A join without keys is one if there is an inequality between the sides, and no conjunct before it can raise (other
///   than those that are searched too): the search answers it for all pairs at once, and what stood before it must not
///   be missed. A three-valued mark asks for the pairs whose condition is NULL too, so that the inequality must be all
///   there is, and cannot raise.
void choose_search(JoinSpec& spec);

}  // namespace weft::pipeline
