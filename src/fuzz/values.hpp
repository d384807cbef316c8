// Values as texts that CAST(text AS type) reads: plain ones near zero and the present, and those at the edges.
#pragma once

#include <string>
#include <vector>

#include "fuzz/random.hpp"
#include "plan/type.hpp"

namespace weft::fuzz {

/// One of each type that support::supported_type accepts; decimals of every width that has a form of its own.
const std::vector<plan::Type>& all_types();

/// No number of the type is further from 0; infinity for floating types, 0 for all that are no numbers.
double greatest_of(const plan::Type& type);

/// No plain number is further from 0.
constexpr double kPlainBound = 20;

/// At most min(bound, kPlainBound) from 0; floating ones are multiples of 0.25, so that sums of them are exact. Times
/// are in 2019 to 2021.
std::string plain_value(const plan::Type& type, Random& random, double bound = kPlainBound);
/// Extremes, NaN, infinities, -0.0, empty and multi-byte texts, the ends of the calendar.
std::string edge_value(const plan::Type& type, Random& random);
/// What the casts of text read, and what they must refuse.
std::string text_of_a_value(Random& random);
/// A short text that occurs in others.
std::string short_text(Random& random);

/// CAST('...' AS type), or the plain literal of an INTEGER, VARCHAR or BOOLEAN.
std::string literal_sql(const plan::Type& type, const std::string& value);

}  // namespace weft::fuzz
