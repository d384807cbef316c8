-- kind: TIMESTAMP WITH TIME ZONE through scans, filters, joins, groups, sorts, windows and set operations
-- case: columns-of-duckdb
CREATE TABLE t AS SELECT * FROM (VALUES (1, TIMESTAMPTZ '2020-01-01 00:00:00+00', 'a'), (2, '2020-06-15 12:34:56.789012+02', 'b'), (3, NULL, 'a'), (4, '1969-12-31 23:59:59.999999+00', 'b'), (5, '2020-01-01 01:00:00+01', 'c'), (6, 'infinity', 'a'), (7, '-infinity', NULL), (8, '0044-03-15 (BC) 10:00:00+00', 'c'), (9, '294247-01-10 04:00:54.775806+00', 'd')) x(id, ts, g);
CREATE TABLE u AS SELECT * FROM (VALUES (TIMESTAMPTZ '2019-12-31 19:00:00-05', 10), ('2020-06-15 10:34:56.789012+00', 20), (NULL, 30), ('infinity', 40)) x(ts, w);
-- query
SELECT id, ts FROM t ORDER BY ts, id;
-- query
SELECT id, ts FROM t ORDER BY ts DESC NULLS FIRST, id LIMIT 4;
-- query
SELECT id FROM t WHERE ts = TIMESTAMPTZ '2020-01-01 00:00:00+00' ORDER BY id;
-- query
SELECT id FROM t WHERE ts BETWEEN TIMESTAMPTZ '1969-01-01 00:00:00+00' AND TIMESTAMPTZ '2020-06-15 10:34:56.789011+00' ORDER BY id;
-- query
SELECT id FROM t WHERE ts IN (TIMESTAMPTZ 'infinity', TIMESTAMPTZ '1969-12-31 23:59:59.999999+00', NULL) ORDER BY id;
-- query
SELECT id, ts IS NULL, ts > TIMESTAMPTZ '2020-01-01 00:00:00+00' AS later, ts <> TIMESTAMPTZ '-infinity' FROM t ORDER BY id;
-- query
SELECT id FROM t WHERE ts IS NOT DISTINCT FROM NULL OR ts < TIMESTAMPTZ '1900-01-01 00:00:00+00' ORDER BY id;
-- query
SELECT t.id, u.w FROM t JOIN u ON t.ts = u.ts ORDER BY ALL;
-- query
SELECT t.id, u.w FROM t LEFT JOIN u ON t.ts IS NOT DISTINCT FROM u.ts ORDER BY ALL;
-- query
SELECT t.id, count(u.w) FROM t LEFT JOIN u ON t.ts > u.ts GROUP BY t.id ORDER BY t.id;
-- query
SELECT t.id, u.w FROM t ASOF JOIN u ON t.ts >= u.ts ORDER BY ALL;
-- query
SELECT id FROM t WHERE ts IN (SELECT ts FROM u WHERE ts IS NOT NULL) ORDER BY id;
-- query
SELECT ts, count(*), min(id) FROM t GROUP BY ts ORDER BY ts;
-- query
SELECT g, min(ts), max(ts), count(ts), count(DISTINCT ts), arg_min(id, ts), arg_max(ts, id) FROM t GROUP BY g ORDER BY g;
-- query
SELECT min(ts), max(ts), any_value(ts) FILTER (WHERE id = 2), first(ts) FILTER (WHERE id = 4) FROM t;
-- query
SELECT DISTINCT ts FROM t WHERE ts < TIMESTAMPTZ 'infinity' ORDER BY ts;
-- query
SELECT ts FROM t UNION SELECT ts FROM u ORDER BY ts;
-- query
SELECT ts FROM t EXCEPT SELECT ts FROM u ORDER BY ts;
-- query
SELECT ts FROM t INTERSECT ALL SELECT ts FROM u ORDER BY ts;
-- query
SELECT id, rank() OVER (ORDER BY ts NULLS FIRST) AS r, lag(ts) OVER (ORDER BY id) AS before, lead(ts, 2, TIMESTAMPTZ '2000-01-01 00:00:00+00') OVER (ORDER BY id) AS after, count(*) OVER (PARTITION BY ts) AS n, max(ts) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS m FROM t ORDER BY id;
-- query
SELECT id, coalesce(ts, TIMESTAMPTZ '2000-01-01 00:00:00+00'), CASE WHEN id > 4 THEN ts END, greatest(ts, TIMESTAMPTZ '2000-01-01 00:00:00+00'), nullif(ts, TIMESTAMPTZ 'infinity'), hash(ts) FROM t ORDER BY id;
-- query
SELECT id, epoch(ts), epoch_us(ts), isfinite(ts), isinf(ts) FROM t ORDER BY id;
-- query
SELECT id, epoch_ms(ts) FROM t WHERE id <> 9 ORDER BY id;
-- error: Could not convert Timestamp to higher precision
SELECT max(epoch_ms(ts)) FROM t WHERE isfinite(ts);
-- query
SELECT GROUPING(ts, g), ts, g, count(*) FROM t GROUP BY CUBE (ts, g) ORDER BY ALL;
-- case: utc
CREATE TABLE t AS SELECT i AS id, make_timestamp(i * 86400001234567 - 9000000000000000)::TIMESTAMPTZ AS ts FROM range(300) t(i);
INSERT INTO t VALUES (1000, NULL), (1001, 'infinity'), (1002, '-infinity'), (1003, '0044-03-15 (BC) 10:00:00.5+00'), (1004, '294247-01-10 04:00:54.775806+00'), (1005, '290309-12-22 (BC) 00:00:00+00');
-- setup
SET TimeZone = 'UTC';
-- query
SELECT id, year(ts), quarter(ts), month(ts), week(ts), day(ts), hour(ts), minute(ts), second(ts), millisecond(ts), microsecond(ts), dayofweek(ts), isodow(ts), dayofyear(ts), decade(ts), century(ts), millennium(ts), era(ts), isoyear(ts), yearweek(ts) FROM t ORDER BY id;
-- query
SELECT id, date_trunc('year', ts), date_trunc('quarter', ts), date_trunc('month', ts), date_trunc('week', ts), date_trunc('day', ts), date_trunc('hour', ts), date_trunc('second', ts), date_trunc('millisecond', ts), date_trunc('isoyear', ts) FROM t WHERE id <> 1005 ORDER BY id;
-- query
SELECT date_part('year', ts) AS y, extract(month FROM ts) AS m, count(*) FROM t GROUP BY y, m ORDER BY y, m;
-- query
SELECT id, ts::TIMESTAMP, ts::DATE, ts::VARCHAR, (ts::TIMESTAMP)::TIMESTAMPTZ = ts, TRY_CAST(ts AS TIMESTAMP_NS), TRY_CAST(ts AS TIMESTAMP_MS), TRY_CAST(ts AS TIMESTAMP_S) FROM t ORDER BY id;
-- query
SELECT id, last_day(ts), dayname(ts), monthname(ts), julian(ts), strftime(ts, '%Y-%m-%d %H:%M:%S.%f') FROM t ORDER BY id;
-- query
SELECT id FROM t WHERE ts >= TIMESTAMP '2020-01-01 00:00:00' AND ts < DATE '2021-01-01' ORDER BY id;
-- error: Could not convert Timestamp to higher precision
SELECT max(ts::TIMESTAMP_NS) FROM t;
-- case: another-time-zone
CREATE TABLE t AS SELECT i AS id, make_timestamp(i * 86400001234567)::TIMESTAMPTZ AS ts FROM range(30) t(i);
-- setup
SET TimeZone = 'Europe/Berlin';
-- query
SELECT id, ts FROM t WHERE ts > TIMESTAMPTZ '1970-02-01 00:00:00' ORDER BY ts DESC;
-- query
SELECT min(ts), max(ts), count(DISTINCT ts) FROM t;
-- query
SELECT id, ts::TIMESTAMP, ts::DATE, ts::VARCHAR FROM t ORDER BY id;
-- query
SELECT year(ts) AS y, count(*) FROM t GROUP BY y ORDER BY y;
-- query
SELECT id FROM t WHERE ts < TIMESTAMP '1970-01-03 00:00:00' ORDER BY id;
-- query
SELECT id, epoch(ts) FROM t ORDER BY id;
-- case: another-calendar
CREATE TABLE t AS SELECT i AS id, make_timestamp(i * 86400001234567)::TIMESTAMPTZ AS ts FROM range(30) t(i);
-- setup
SET TimeZone = 'UTC';
-- setup
SET Calendar = 'buddhist';
-- query
SELECT id, year(ts) FROM t ORDER BY id;
-- query
SELECT id, ts FROM t WHERE id > 20 ORDER BY ts;
-- case: parquet
COPY (SELECT i AS id, make_timestamp(i * 86400001234567 - 90000000000000)::TIMESTAMPTZ AS us, (make_timestamp_ns(i * 86400001234567123 - 90000000000000))::TIMESTAMPTZ_NS AS ns FROM range(100) t(i) UNION ALL VALUES (1000, NULL, NULL), (1001, TIMESTAMPTZ 'infinity', TIMESTAMPTZ_NS 'infinity'), (1002, TIMESTAMPTZ '-infinity', TIMESTAMPTZ_NS '-infinity')) TO '{folder}/zoned.parquet' (ROW_GROUP_SIZE 2048);
-- query
SELECT * FROM '{folder}/zoned.parquet' ORDER BY id;
-- query
SELECT id FROM '{folder}/zoned.parquet' WHERE us > TIMESTAMPTZ '1970-03-01 00:00:00+00' AND us < TIMESTAMPTZ '1970-03-10 00:00:00+00' ORDER BY id;
-- query
SELECT id FROM '{folder}/zoned.parquet' WHERE us > TIMESTAMPTZ '2070-03-01 00:00:00+00' ORDER BY id;
-- query
SELECT id FROM '{folder}/zoned.parquet' WHERE ns = 'infinity'::TIMESTAMPTZ_NS OR us IS NULL ORDER BY id;
-- query
SELECT max(us), min(ns), max(ns), count(DISTINCT ns) FROM '{folder}/zoned.parquet';
-- query
SELECT a.id, b.id FROM '{folder}/zoned.parquet' a JOIN '{folder}/zoned.parquet' b ON a.ns = b.ns WHERE a.id < 10 ORDER BY ALL;
-- setup
SET TimeZone = 'UTC';
-- query
SELECT id, ns::VARCHAR, ns::TIMESTAMP_NS, ns::TIMESTAMPTZ, ns::TIMESTAMP FROM '{folder}/zoned.parquet' ORDER BY id;
-- case: parquet-of-others
-- What pandas and Spark write: microseconds, milliseconds and nanoseconds in UTC.
COPY (SELECT from_hex('504152311500154C154C2C150A1500150615061C1808FEFFFFFFFFFFFF7F1808FFFFFFFFFFFFFFFF16022808FEFFFFFFFFFFFF7F1808FFFFFFFFFFFFFFFF111100000002000000031D0000000000000000FFFFFFFFFFFFFFFF4022FCC1089B0500FEFFFFFFFFFFFF7F1500154C154C2C150A1500150615061C1808F753E3A59BC420001808FFFFFFFFFFFFFFFF16022808F753E3A59BC420001808FFFFFFFFFFFFFFFF111100000002000000031D0000000000000000FFFFFFFFFFFFFFFF7BE8665E6F010000F753E3A59BC420001500154C154C2C150A1500150615061C1808FEFFFFFFFFFFFF7F1808FFFFFFFFFFFFFFFF16022808FEFFFFFFFFFFFF7F1808FFFFFFFFFFFFFFFF111100000002000000031D0000000000000000FFFFFFFFFFFFFFFF15CDE5C0359AE515FEFFFFFFFFFFFF7F1504194C35001806736368656D61150600150425021802757325144C8C111C2C00000000001504250218026D7325124C8C111C1C00000000001504250218026E736C8C111C3C0000000000160A191C193C26001C15041925060019180275731500160A16CA0116CA0126083C1808FEFFFFFFFFFFFF7F1808FFFFFFFFFFFFFFFF16022808FEFFFFFFFFFFFF7F1808FFFFFFFFFFFFFFFF111100191C150015001502003C29061926020800000026001C1504192506001918026D731500160A16CA0116CA0126D2013C1808F753E3A59BC420001808FFFFFFFFFFFFFFFF16022808F753E3A59BC420001808FFFFFFFFFFFFFFFF111100191C150015001502003C29061926020800000026001C1504192506001918026E731500160A16CA0116CA01269C033C1808FEFFFFFFFFFFFF7F1808FFFFFFFFFFFFFFFF16022808FEFFFFFFFFFFFF7F1808FFFFFFFFFFFFFFFF111100191C150015001502003C29061926020800000016DE04160A260816DE04002820706172717565742D6370702D6172726F772076657273696F6E2032362E302E31193C1C00001C00001C0000009D01000050415231')) TO '{folder}/moments.parquet' (FORMAT blob);
-- query
SELECT * FROM '{folder}/moments.parquet' ORDER BY us;
-- query
SELECT typeof(us), typeof(ms), typeof(ns), count(*) FROM '{folder}/moments.parquet' GROUP BY ALL;
-- query
SELECT us, ms FROM '{folder}/moments.parquet' WHERE ms = TIMESTAMPTZ '2020-01-01 00:00:00.123+00' OR ms < TIMESTAMPTZ '1970-01-01 00:00:00+00';
-- query
SELECT us, ns FROM '{folder}/moments.parquet' WHERE ms > us ORDER BY us;
