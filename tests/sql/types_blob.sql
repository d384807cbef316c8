-- kind: BLOB through scans, filters, joins, groups, sorts, windows and set operations
-- case: columns-of-duckdb
CREATE TABLE t AS SELECT * FROM (VALUES (1, '\x00\x01'::BLOB, 'a'), (2, '\xFF'::BLOB, 'b'), (3, NULL, 'a'), (4, ''::BLOB, 'b'), (5, '\xFF'::BLOB, 'c'), (6, '\xFF\xFF\xFF\xFF\xFF'::BLOB, NULL), (7, 'abc'::BLOB, 'c'), (8, '\x00'::BLOB, 'd'), (9, '\xF8\xF9\xFA\xFB'::BLOB, 'e'), (10, 'a longer value \x80 than twelve bytes'::BLOB, 'a')) x(id, v, g);
CREATE TABLE u AS SELECT * FROM (VALUES ('\xFF'::BLOB, 10), (''::BLOB, 20), (NULL, 30), ('\x00'::BLOB, 40)) x(v, w);
-- query
SELECT id, v FROM t ORDER BY v, id;
-- query
SELECT id, v FROM t ORDER BY v DESC NULLS FIRST, id LIMIT 4;
-- query
SELECT id FROM t WHERE v = '\xFF'::BLOB ORDER BY id;
-- query
SELECT id FROM t WHERE v BETWEEN '\x00'::BLOB AND '\xF8'::BLOB ORDER BY id;
-- query
SELECT id FROM t WHERE v IN (''::BLOB, '\xF8\xF9\xFA\xFB'::BLOB, NULL) ORDER BY id;
-- query
SELECT id, v IS NULL, v > 'abc'::BLOB AS more, v <> ''::BLOB, v IS NOT DISTINCT FROM NULL FROM t ORDER BY id;
-- query
SELECT t.id, u.w FROM t JOIN u ON t.v = u.v ORDER BY ALL;
-- query
SELECT t.id, u.w FROM t LEFT JOIN u ON t.v IS NOT DISTINCT FROM u.v ORDER BY ALL;
-- query
SELECT t.id, count(u.w) FROM t LEFT JOIN u ON t.v > u.v GROUP BY t.id ORDER BY t.id;
-- query
SELECT id FROM t WHERE v NOT IN (SELECT v FROM u WHERE v IS NOT NULL) ORDER BY id;
-- query
SELECT v, count(*), min(id) FROM t GROUP BY v ORDER BY v;
-- query
SELECT g, min(v), max(v), count(v), count(DISTINCT v), arg_min(id, v), arg_max(v, id) FROM t GROUP BY g ORDER BY g;
-- query
SELECT min(v), max(v), any_value(v) FILTER (WHERE id = 2), first(v) FILTER (WHERE id = 4) FROM t;
-- query
SELECT min(v), max(v) FROM t WHERE v > '\xF7\xBF\xBF\xBF'::BLOB;
-- query
SELECT max(v), min(v) FROM t WHERE id = 3;
-- query
SELECT v FROM t UNION SELECT v FROM u ORDER BY v;
-- query
SELECT v FROM t INTERSECT SELECT v FROM u ORDER BY v;
-- query
SELECT id, rank() OVER (ORDER BY v NULLS FIRST) AS r, lag(v) OVER (ORDER BY id) AS before, lead(v, 2, '\x07'::BLOB) OVER (ORDER BY id) AS after, count(*) OVER (PARTITION BY v) AS n, max(v) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS m FROM t ORDER BY id;
-- query
SELECT id, coalesce(v, '\x07'::BLOB), CASE WHEN id > 4 THEN v END, greatest(v, '\x07'::BLOB), nullif(v, ''::BLOB), hash(v) FROM t ORDER BY id;
-- query
SELECT id, octet_length(v), hex(v), v::VARCHAR FROM t ORDER BY id;
-- case: parquet
COPY (SELECT i AS id, from_hex(hex(i * 7919 % 1000)) || '\xFF'::BLOB AS b FROM range(3000) t(i) UNION ALL VALUES (10000, NULL), (10001, ''::BLOB), (10002, '\xFF\xFF\xFF\xFF'::BLOB)) TO '{folder}/blob.parquet' (ROW_GROUP_SIZE 2048);
-- query
SELECT b, count(*), min(id) FROM '{folder}/blob.parquet' GROUP BY b ORDER BY b DESC LIMIT 20;
-- query
SELECT id FROM '{folder}/blob.parquet' WHERE b >= '\xFF\xFF'::BLOB OR b = ''::BLOB OR b IS NULL ORDER BY id;
-- query
SELECT min(b), max(b), count(DISTINCT b) FROM '{folder}/blob.parquet';
-- case: parquet-of-others
-- Bytes without annotation, of any length and of a fixed one.
COPY (SELECT from_hex('504152311500154015402C150A1500150615061C36022805FFFFFFFFFF1800111100000002000000031D0200000000FF0000000005000000FFFFFFFFFF030000006162631500152415242C150A1500150615061C36022803FFFFFF1803000102111100000002000000031D000102FFFFFF6162638000001504193C35001806736368656D61150400150C250218016200150E1506150218016600160A191C192C26001C150C19250600191801621500160A16800116800126083C36022805FFFFFFFFFF1800111100191C150015001502003C161419061926020800000026001C150E19250600191801661500160A166616662688013C36022803FFFFFF1803000102111100191C150015001502003C29061926020800000016E601160A260816E601002820706172717565742D6370702D6172726F772076657273696F6E2032362E302E31192C1C00001C000000D700000050415231')) TO '{folder}/bytes.parquet' (FORMAT blob);
-- query
SELECT * FROM '{folder}/bytes.parquet' ORDER BY b;
-- query
SELECT b FROM '{folder}/bytes.parquet' WHERE f >= '\x80'::BLOB ORDER BY f;
