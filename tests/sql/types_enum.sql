-- kind: ENUM through scans, filters, joins, groups, sorts, windows and set operations
-- case: columns-of-duckdb
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy', '', 'it''s', 'a much longer label of an enum, ä');
CREATE TYPE other AS ENUM ('happy', 'new', 'sad');
CREATE TABLE t AS SELECT * FROM (VALUES (1, 'happy'::mood, 'a'), (2, 'sad', 'b'), (3, NULL, 'a'), (4, 'ok', 'b'), (5, 'sad', 'c'), (6, 'a much longer label of an enum, ä', NULL), (7, '', 'c'), (8, 'it''s', 'a')) x(id, v, g);
CREATE TABLE u AS SELECT * FROM (VALUES ('sad'::mood, 10), ('it''s', 20), (NULL, 30)) x(v, w);
CREATE TABLE o AS SELECT * FROM (VALUES ('sad'::other, 1), ('happy', 2), ('new', 3), (NULL, 4)) x(v, w);
-- query
SELECT id, v FROM t ORDER BY v, id;
-- query
SELECT id, v FROM t ORDER BY v DESC NULLS FIRST, id LIMIT 3;
-- query
SELECT id FROM t WHERE v = 'it''s' ORDER BY id;
-- query
SELECT id FROM t WHERE v = 'ok'::mood OR v > 'happy'::mood ORDER BY id;
-- query
SELECT id FROM t WHERE v BETWEEN 'ok'::mood AND ''::mood ORDER BY id;
-- query
SELECT id FROM t WHERE v IN ('sad', '', NULL) ORDER BY id;
-- query
SELECT id, v IS NULL, v > 'ok' AS more_by_text, v > 'ok'::mood AS more_by_position, v <> 'sad', v IS DISTINCT FROM NULL FROM t ORDER BY id;
-- query
SELECT t.id, u.w, u.v FROM t JOIN u ON t.v = u.v ORDER BY ALL;
-- query
SELECT t.id, o.w, o.v FROM t JOIN o ON t.v = o.v ORDER BY ALL;
-- query
SELECT t.id, u.w FROM t LEFT JOIN u ON t.v IS NOT DISTINCT FROM u.v ORDER BY ALL;
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
SELECT v FROM t UNION SELECT v FROM o ORDER BY v;
-- query
SELECT v FROM t INTERSECT SELECT v FROM u ORDER BY v;
-- query
SELECT id, rank() OVER (ORDER BY v NULLS FIRST) AS r, lag(v) OVER (ORDER BY id) AS before, lead(v, 2, 'ok'::mood) OVER (ORDER BY id) AS after, count(*) OVER (PARTITION BY v) AS n, min(v) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS m FROM t ORDER BY id;
-- query
SELECT id, coalesce(v, 'ok'::mood), CASE WHEN id > 4 THEN v END, nullif(v, 'sad'::mood), hash(v) FROM t ORDER BY id;
-- query
SELECT id, v::VARCHAR, upper(v::VARCHAR), length(v), v || '!' FROM t ORDER BY id;
-- query
SELECT v FROM t WHERE g IS NULL OR id > 6;
-- case: many-labels
CREATE TYPE many AS ENUM (SELECT 'label ' || i FROM range(300) t(i));
CREATE TABLE t AS SELECT i AS id, ('label ' || (i * 7919 % 300))::many AS v FROM range(5000) t(i);
-- query
SELECT v, count(*) FROM t GROUP BY v ORDER BY v LIMIT 20;
-- query
SELECT count(DISTINCT v), min(v), max(v), max(v::VARCHAR) FROM t;
-- query
SELECT id, v FROM t WHERE v > 'label 298'::many ORDER BY id LIMIT 10;
