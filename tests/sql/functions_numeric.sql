-- kind: functions of numbers: divisors, shifts, rounding to even, hyperbolic functions, other bases
-- case: integers
CREATE TABLE t AS SELECT * FROM (VALUES (1, 12, 18), (2, -12, 18), (3, 0, 5), (4, 7, NULL), (5, NULL, 3), (6, 2147483647, 2), (7, 1, 0), (8, 6, 4)) x(id, a, b);
-- query
SELECT id, gcd(a, b), lcm(a, b), greatest_common_divisor(a::HUGEINT, b::HUGEINT), bit_count(a), bit_count(b::HUGEINT), a & b, a | b, xor(a, b), ~a, @a, +a FROM t ORDER BY id;
-- query
SELECT id, factorial(abs(b)), abs(b)!, binom(abs(a) % 40, abs(b) % 40) FROM t WHERE abs(b) < 30 ORDER BY id;
-- query
SELECT id, abs(a)::BIGINT << 3, abs(b) << 2, a >> 1, a >> 40, b::UTINYINT >> 1, b::HUGEINT << 70 FROM t WHERE coalesce(b, 0) < 100 ORDER BY id;
-- error: Out of Range Error
SELECT factorial(a) FROM t;
-- error: Cannot left-shift negative number
SELECT a << 1 FROM t ORDER BY id;
-- error: Overflow in left shift
SELECT a << 20 FROM t WHERE id = 6;
-- error: lcm value is out of range
SELECT lcm(a::BIGINT * 9000000000, 9223372036854775807) FROM t WHERE id = 8;
-- query
SELECT id, gcd(a, b) FROM t WHERE gcd(a, b) > 1 ORDER BY id;
-- case: rounding
CREATE TABLE t AS SELECT * FROM (VALUES (1, 2.5::DOUBLE, 12.345), (2, 3.5, -12.355), (3, -2.5, 0.005), (4, 2.675, NULL), (5, NULL, 99.995), (6, 'inf', 1), (7, 'nan', 2), (8, 1e17, 3)) x(id, d, m);
-- query
SELECT id, round_even(d, 0), roundbankers(d, 1), round_even(m, 2), round_even(m, 0), round_even((m * 10)::INTEGER, -1), trunc(d, 1), trunc(m, 1), trunc((m * 10)::INTEGER, -1), even(d) FROM t ORDER BY id;
-- query
SELECT id, fmod(d, 2), fmod(-d, 2), fmod(d::FLOAT, -1.5::FLOAT), nextafter(d, 0), nextafter(d::FLOAT, 1000::FLOAT), CASE WHEN NOT isnan(d) THEN signbit(-d) END, signbit(d::FLOAT) FROM t ORDER BY id;
-- case: curves
CREATE TABLE t AS SELECT * FROM (VALUES (1, 0.5::DOUBLE), (2, -0.5), (3, 0.0), (4, 1.0), (5, 3.25), (6, 'inf'), (7, '-inf'), (8, 'nan'), (9, NULL), (10, -1.0)) x(id, d);
-- query
SELECT id, sinh(d), cosh(d), tanh(d), asinh(d), acosh(d), atanh(d), cot(d), gamma(d), lgamma(d) FROM t ORDER BY id;
-- query
SELECT id, log(d), log(2, d), log(d, 8), log2(d), log10(d), ln(d), exp(d), cbrt(d), pow(d, 3), d ** 2, d ^ 2, power(d, 0.5), degrees(d), radians(d), pi() * d FROM t ORDER BY id;
-- query
SELECT id, isnan(d), isinf(d), isfinite(d), sin(d), cos(d), tan(d), asin(d), acos(d), atan(d), atan2(d, 2), sqrt(abs(d)) FROM t ORDER BY id;
-- case: other-bases
CREATE TABLE t AS SELECT * FROM (VALUES (1, 0::BIGINT), (2, 1), (3, -1), (4, 1536), (5, 9223372036854775807), (6, NULL), (7, 255)) x(id, n);
-- query
SELECT id, bin(n), hex(n), to_hex(n::HUGEINT), to_binary(abs(n)::UBIGINT), to_base(abs(n), 36), to_base(abs(n), 2, 12), format_bytes(n), formatReadableSize(n), formatReadableDecimalSize(n) FROM t ORDER BY id;
-- query
SELECT id, bar(id, 0, 7, 10), bar(id, 2, 6, 5.5), bar(n % 100, 0, 100) FROM t ORDER BY id;
-- error: 'to_base' number must be greater than or equal to 0
SELECT to_base(n, 2) FROM t WHERE id = 3;
-- error: 'to_base' radix must be between 2 and 36
SELECT to_base(n, id + 36) FROM t WHERE n > 0;
-- error: Max bar width must be >= 1
SELECT bar(n, 0, 10, id - 1) FROM t;
-- case: constants
CREATE TABLE t AS SELECT i AS id, i * 1.5::DOUBLE AS d FROM range(3) x(i);
-- query
SELECT id, d * pi(), typeof(d), current_database() = 'x', d < 1 AND version() IS NOT NULL, current_date > DATE '2020-01-01' FROM t ORDER BY id;
