-- kind: functions of dates: made of numbers, epochs, whole units, buckets, intervals of the row, strftime
-- case: making
CREATE TABLE t AS SELECT * FROM (VALUES (1, 2024, 2, 29), (2, 1969, 12, 31), (3, 0, 1, 1), (4, NULL, 1, 1), (5, 9999, 12, 31), (6, 2000, 6, 15)) x(id, y, m, d);
-- query
SELECT id, make_date(y, m, d), make_timestamp(y, m, d, id, d, 1.5), make_date(id), make_timestamp(id * 1000000), make_timestamp_ms(id * 1500), make_timestamp_ns(id::BIGINT) FROM t ORDER BY id;
-- error: Date out of range
SELECT make_date(y, m, d + 1) FROM t WHERE id < 3;
-- error: Time out of range
SELECT make_timestamp(y, m, d, 25, 0, 0) FROM t;
-- case: fields
CREATE TABLE t AS SELECT * FROM (VALUES (1, DATE '2024-02-29', TIMESTAMP '2024-02-29 12:34:56.789012'), (2, DATE '1969-12-31', TIMESTAMP '1969-12-31 23:59:59.999999'), (3, DATE '0001-01-01', TIMESTAMP '0001-01-01 00:00:00'), (4, NULL, NULL), (5, 'infinity', '-infinity'), (6, DATE '2021-01-03', TIMESTAMP '2021-01-03 00:00:00.0005'), (7, DATE '2000-01-03', TIMESTAMP '2000-01-03 01:00:00')) x(id, d, ts);
-- query
SELECT id, epoch_ms(d), epoch_ms(ts), epoch_us(d), epoch_us(ts), epoch_ns(ts), nanosecond(ts), nanosecond(ts::TIMESTAMP_NS), julian(d), julian(ts), isfinite(d), isinf(ts) FROM t WHERE id <> 3 AND id <> 5 ORDER BY id;
-- query
SELECT id, epoch_ms(d), epoch_us(ts), nanosecond(d), julian(d), isfinite(d), isinf(ts), isinf(d), isfinite(ts) FROM t ORDER BY id;
-- query
SELECT id, strftime(d, '%Y-%m-%d'), strftime(ts, '%d/%m/%y %I:%M:%S %p'), strftime(ts, '%A %a %B %b %j %U %W %V %G %u %w'), strftime('%-d.%-m.%-y %f %g %n', ts), strftime(d, '%c|%x|%X|%%'), strftime(ts::TIMESTAMP_NS, '%n') FROM t WHERE id <> 3 AND id <> 5 ORDER BY id;
-- query
SELECT id, strftime(d, '%Y|%b'), strftime(ts, '%H') FROM t ORDER BY id;
-- query
SELECT strftime(ts, '%Y-%m') AS month, count(*) FROM t GROUP BY month ORDER BY month;
-- query
SELECT id, datesub('month', DATE '2023-01-31', d), date_sub('year', d, DATE '2024-02-28'), date_sub('week', d, DATE '2024-01-01'), date_sub('quarter', ts, TIMESTAMP '2030-05-29 12:00:00'), date_sub('day', ts, TIMESTAMP '2030-05-29 12:00:00'), date_sub('hour', ts, TIMESTAMP '2024-03-01'), date_sub('second', d, DATE '2024-03-01') FROM t ORDER BY id;
-- query
SELECT id, time_bucket(INTERVAL '3 months', d), time_bucket(INTERVAL '1 week', d), time_bucket(INTERVAL '15 minutes', ts), time_bucket(INTERVAL '2 years', ts), time_bucket(INTERVAL '10 days', d, DATE '2020-02-02'), time_bucket(INTERVAL '1 hour', ts, TIMESTAMP '2020-01-01 00:30:00') FROM t ORDER BY id;
-- case: intervals-of-the-row
CREATE TABLE t AS SELECT * FROM (VALUES (1, DATE '2024-01-31', 1), (2, DATE '2024-02-29', -1), (3, NULL, 3), (4, DATE '2023-12-31', NULL), (5, DATE '1999-12-31', 100)) x(id, d, n);
-- query
SELECT id, d + to_days(n), d - to_months(n), d + to_years(n), d::TIMESTAMP + to_hours(n), d + to_weeks(n), d + to_quarters(n), d + to_decades(n), d + to_centuries(n), d - to_minutes(n), d + to_seconds(n * 1.5), d + to_milliseconds(n), d + to_microseconds(n) FROM t ORDER BY id;
-- query
SELECT id, d + INTERVAL (n) DAY, d - INTERVAL (n) MONTH, d::TIMESTAMP + INTERVAL (n) HOUR, d + INTERVAL 1 MONTH FROM t ORDER BY id;
-- query
SELECT id FROM t WHERE d + to_days(n) > DATE '2024-01-01' ORDER BY id;
-- error: out of range
SELECT d + to_millennia(n * 100000) FROM t ORDER BY id;
-- case: interval-arithmetic
CREATE TABLE t AS SELECT * FROM (VALUES (1, TIMESTAMP '2024-03-31 10:00:00', TIMESTAMP '2023-02-28 12:30:00', 2::BIGINT), (2, TIMESTAMP '2020-01-01', TIMESTAMP '2024-02-29 23:59:59.5', -3), (3, NULL, TIMESTAMP '2020-01-01', 1), (4, TIMESTAMP '1999-12-31', TIMESTAMP '1999-12-31', NULL), (5, TIMESTAMP '2024-01-31', TIMESTAMP '2023-12-30', 0)) x(id, a, b, n);
-- query
SELECT id, a + n * INTERVAL '1 month 2 days', a - INTERVAL '3 hours' * n, a + (a - b), b + age(a, b), b + age(b, a), a + (to_days(n) + to_hours(n)), a + (to_days(n) - to_months(n)), a + normalized_interval(to_days(n * 45)) FROM t ORDER BY id;
-- query
SELECT id, a - b > INTERVAL '1 year', age(a, b) <= INTERVAL '1 month', to_days(n) = INTERVAL '2 days', date_part('day', a - b), hour(a - b), date_part('minute', a - b), second(a - b), year(age(a, b)), month(age(a, b)), day(age(a, b)), quarter(to_months(n * 5)), decade(to_years(n * 11)), century(to_years(n * 101)), millennium(to_decades(n * 101)), epoch(a - b), epoch(age(a, b)), millisecond(to_milliseconds(n * 1.5)), microsecond(to_microseconds(n)) FROM t ORDER BY id;
-- query
SELECT id FROM t WHERE a - b BETWEEN INTERVAL '0 days' AND INTERVAL '500 days' ORDER BY id;
-- error: Cannot subtract infinite timestamps
SELECT a + (a - 'infinity'::TIMESTAMP) FROM t WHERE id = 1;
-- error: Overflow in multiplication of INT32
SELECT a + n * INTERVAL '2000000000 months' FROM t WHERE id = 1;
-- case: parsing
CREATE TABLE t AS SELECT * FROM (VALUES (1, '2024-02-29', '29/02/24 11:05:09 PM'), (2, '1999-1-5', '01/01/70 12:00:00 am'), (3, 'nonsense', 'nonsense'), (4, NULL, NULL), (5, 'infinity', 'epoch')) x(id, d, t);
-- query
SELECT id, try_strptime(d, '%Y-%m-%d'), try_strptime(t, '%d/%m/%y %I:%M:%S %p'), try_strptime(d, '%Y-%m-%d')::DATE FROM t ORDER BY id;
-- query
SELECT id, strptime(d, '%Y-%m-%d'), strptime(t, '%d/%m/%y %I:%M:%S %p') FROM t WHERE id <> 3 ORDER BY id;
-- error: Could not parse string "nonsense" according to format specifier
SELECT strptime(d, '%Y-%m-%d') FROM t;
-- query
SELECT id, date_trunc('decade', try_strptime(d, '%Y-%m-%d')), date_trunc('century', DATE '1905-05-05' + id::INTEGER), date_diff('decade', DATE '1905-05-05', DATE '2024-01-01' + id::INTEGER), date_diff('isoyear', DATE '2020-12-31' + id::INTEGER, DATE '2024-12-31'), date_trunc('isoyear', DATE '2020-12-31' + id::INTEGER) FROM t ORDER BY id;
