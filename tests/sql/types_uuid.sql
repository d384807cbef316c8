-- kind: UUID through scans, filters, joins, groups, sorts, windows and set operations
-- case: columns-of-duckdb
CREATE TABLE t AS SELECT * FROM (VALUES (1, '00000000-0000-0000-0000-000000000001'::UUID, 'a'), (2, 'ffffffff-ffff-ffff-ffff-ffffffffffff', 'b'), (3, NULL, 'a'), (4, '80000000-0000-0000-0000-000000000000', 'b'), (5, '7fffffff-ffff-ffff-ffff-ffffffffffff', 'c'), (6, '00000000-0000-0000-0000-000000000000', NULL), (7, '01234567-89ab-cdef-0123-456789abcdef', 'c'), (8, '80000000-0000-0000-0000-000000000000', 'a')) x(id, v, g);
CREATE TABLE u AS SELECT * FROM (VALUES ('80000000-0000-0000-0000-000000000000'::UUID, 10), ('01234567-89ab-cdef-0123-456789abcdef', 20), (NULL, 30)) x(v, w);
-- query
SELECT id, v FROM t ORDER BY v, id;
-- query
SELECT id, v FROM t ORDER BY v DESC NULLS FIRST, id LIMIT 3;
-- query
SELECT id FROM t WHERE v = '7fffffff-ffff-ffff-ffff-ffffffffffff'::UUID ORDER BY id;
-- query
SELECT id FROM t WHERE v BETWEEN '00000000-0000-0000-0000-000000000001'::UUID AND '80000000-0000-0000-0000-000000000000'::UUID ORDER BY id;
-- query
SELECT id FROM t WHERE v IN ('ffffffff-ffff-ffff-ffff-ffffffffffff'::UUID, '00000000-0000-0000-0000-000000000000', NULL) ORDER BY id;
-- query
SELECT id, v IS NULL, v > '7fffffff-ffff-ffff-ffff-ffffffffffff'::UUID AS more, v <> '80000000-0000-0000-0000-000000000000'::UUID, v IS DISTINCT FROM NULL FROM t ORDER BY id;
-- query
SELECT t.id, u.w FROM t JOIN u ON t.v = u.v ORDER BY ALL;
-- query
SELECT t.id, u.w, u.v FROM t LEFT JOIN u ON t.v IS NOT DISTINCT FROM u.v ORDER BY ALL;
-- query
SELECT t.id, count(u.w) FROM t LEFT JOIN u ON t.v > u.v GROUP BY t.id ORDER BY t.id;
-- query
SELECT v, count(*), min(id) FROM t GROUP BY v ORDER BY v;
-- query
SELECT g, min(v), max(v), count(v), count(DISTINCT v), arg_min(id, v), arg_max(v, id) FROM t GROUP BY g ORDER BY g;
-- query
SELECT min(v), max(v), any_value(v) FILTER (WHERE id = 2), first(v) FILTER (WHERE id = 4) FROM t;
-- query
SELECT v FROM t UNION SELECT v FROM u ORDER BY v;
-- query
SELECT v FROM t EXCEPT SELECT v FROM u ORDER BY v;
-- query
SELECT id, rank() OVER (ORDER BY v NULLS FIRST) AS r, lag(v) OVER (ORDER BY id) AS before, lead(v, 2, '00000000-0000-0000-0000-000000000007'::UUID) OVER (ORDER BY id) AS after, count(*) OVER (PARTITION BY v) AS n, min(v) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS m FROM t ORDER BY id;
-- query
SELECT id, coalesce(v, '00000000-0000-0000-0000-000000000007'::UUID), CASE WHEN id > 4 THEN v END, greatest(v, '80000000-0000-0000-0000-000000000000'::UUID), nullif(v, '80000000-0000-0000-0000-000000000000'::UUID), hash(v) FROM t ORDER BY id;
-- query
SELECT id, v::VARCHAR, upper(v::VARCHAR), v::VARCHAR LIKE '8%' FROM t ORDER BY id;
-- query
SELECT v FROM t WHERE g IS NULL OR id > 6;
-- case: many-rows
CREATE TABLE t AS SELECT i AS id, (md5(i::VARCHAR))::UUID AS v FROM range(5000) t(i);
-- query
SELECT count(DISTINCT v), min(v), max(v) FROM t;
-- query
SELECT a.id FROM t a JOIN t b USING (v) WHERE a.id % 500 = 0 ORDER BY a.id;
-- query
SELECT id, v FROM t ORDER BY v LIMIT 20;
-- case: parquet
COPY (SELECT i AS id, (md5(i::VARCHAR))::UUID AS v FROM range(3000) t(i) UNION ALL VALUES (10000, NULL), (10001, '00000000-0000-0000-0000-000000000000'::UUID), (10002, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::UUID)) TO '{folder}/uuid.parquet' (ROW_GROUP_SIZE 2048);
-- query
SELECT id, v FROM '{folder}/uuid.parquet' ORDER BY v LIMIT 10;
-- query
SELECT id FROM '{folder}/uuid.parquet' WHERE v >= 'ff000000-0000-0000-0000-000000000000'::UUID OR v IS NULL ORDER BY id;
-- query
SELECT min(v), max(v), count(DISTINCT v) FROM '{folder}/uuid.parquet';
-- query
SELECT a.id, b.id FROM '{folder}/uuid.parquet' a JOIN '{folder}/uuid.parquet' b ON a.v = b.v WHERE a.id < 10 ORDER BY ALL;
