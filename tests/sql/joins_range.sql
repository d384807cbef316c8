-- kind: joins on one or two inequalities between the sides: <, <=, >, >=, BETWEEN, with NULLs, duplicates and residuals
-- case: one-inequality
CREATE TABLE l AS SELECT * FROM (VALUES (1, 'a'), (3, 'b'), (3, 'c'), (4, 'd'), (NULL, 'e'), (8, 'f'), (0, 'g')) t(x, n);
CREATE TABLE r AS SELECT * FROM (VALUES (1, 'p'), (3, 'q'), (3, 'r'), (5, 's'), (NULL, 't'), (9, 'u')) t(y, m);
-- query
SELECT x, n, y, m FROM l JOIN r ON x < y;
-- query
SELECT x, n, y, m FROM l JOIN r ON x <= y;
-- query
SELECT x, n, y, m FROM l JOIN r ON x > y;
-- query
SELECT x, n, y, m FROM l JOIN r ON x >= y;
-- query
SELECT x, n, y, m FROM l LEFT JOIN r ON x > y + 2;
-- query
SELECT x, n, y, m FROM l RIGHT JOIN r ON x > y + 2;
-- query
SELECT x, n, y, m FROM l FULL JOIN r ON x > y + 2;
-- query
SELECT x, n FROM l SEMI JOIN r ON x >= y;
-- query
SELECT x, n FROM l ANTI JOIN r ON x >= y;
-- query
SELECT y, m FROM r WHERE EXISTS (SELECT 1 FROM l WHERE x > y);
-- query
SELECT y, m, EXISTS (SELECT 1 FROM l WHERE x > y) AS e FROM r;
-- query
SELECT x, n, y, m FROM l JOIN r ON x * 2 < y + 1;
-- case: between-of-the-build-side
CREATE TABLE ev AS SELECT i AS id, (i * 37) % 100 AS t, CASE WHEN i % 13 = 5 THEN NULL ELSE (i * 53) % 100 END AS q FROM range(150) x(i);
CREATE TABLE span AS SELECT * FROM (VALUES ('a', 0, 10), ('b', 5, 30), ('c', 30, 30), ('d', 90, 200), ('e', 50, NULL), ('f', NULL, 60), ('g', 70, 20), ('h', 0, 99)) t(n, lo, hi);
-- query
SELECT n, id FROM span JOIN ev ON t BETWEEN lo AND hi;
-- query
SELECT n, id FROM span JOIN ev ON t > lo AND t < hi;
-- query
SELECT n, id FROM ev JOIN span ON q >= lo AND q < hi;
-- query
SELECT n, id FROM ev LEFT JOIN span ON q BETWEEN lo AND hi AND n <> 'h';
-- query
SELECT n, id FROM span LEFT JOIN ev ON q BETWEEN lo AND hi AND (id + length(n)) % 3 = 1;
-- query
SELECT n, id FROM span FULL JOIN ev ON q BETWEEN lo AND hi AND n <> 'h';
-- query
SELECT id, t FROM ev WHERE EXISTS (SELECT 1 FROM span WHERE t BETWEEN lo AND hi AND n <> 'h');
-- query
SELECT id, q FROM ev WHERE NOT EXISTS (SELECT 1 FROM span WHERE q BETWEEN lo AND hi AND n <> 'h');
-- query
SELECT id, EXISTS (SELECT 1 FROM span WHERE q BETWEEN lo AND hi AND n <> 'h') AS e FROM ev;
-- query
SELECT a.n, b.n FROM span a JOIN span b ON a.lo < b.hi AND b.lo < a.hi AND a.n < b.n;
-- query
SELECT a.n, b.n FROM span a LEFT JOIN span b ON a.lo <= b.lo AND a.hi >= b.hi AND a.n <> b.n;
-- case: two-inequalities
CREATE TABLE l AS SELECT i AS id, (i * 29) % 61 AS a, CASE WHEN i % 9 = 2 THEN NULL ELSE (i * 17) % 53 END AS b FROM range(120) t(i);
CREATE TABLE r AS SELECT i AS id, (i * 23) % 59 AS c, CASE WHEN i % 8 = 3 THEN NULL ELSE (i * 31) % 47 END AS d FROM range(90) t(i);
-- query
SELECT l.id, r.id FROM l JOIN r ON a < c AND b > d + 30;
-- query
SELECT l.id, r.id FROM l JOIN r ON a <= c AND b <= d AND a + 50 >= c;
-- query
SELECT l.id, r.id FROM l JOIN r ON a >= c AND b < d - 20;
-- query
SELECT l.id, r.id FROM l JOIN r ON a > c AND b >= d AND l.id % 5 = r.id % 5;
-- query
SELECT l.id, r.id FROM l LEFT JOIN r ON a > c + 40 AND b < d - 10;
-- query
SELECT l.id, r.id FROM l RIGHT JOIN r ON a > c + 40 AND b < d - 10;
-- query
SELECT l.id, r.id FROM l FULL JOIN r ON a > c + 40 AND b < d - 10;
-- query
SELECT id FROM l SEMI JOIN r ON a < c AND b > d + 25;
-- query
SELECT id FROM l ANTI JOIN r ON a < c AND b > d + 25;
-- query
SELECT r.id, count(*) FROM r JOIN l ON a < c AND b <> d AND b > c GROUP BY r.id ORDER BY r.id;
-- case: key-types
CREATE TABLE l AS SELECT i AS id, 'w' || chr((97 + i * 5 % 26)::INTEGER) || i % 3 AS s, (i * 1.37)::DECIMAL(8,2) AS d, (i * 12345678901234567890.5)::DECIMAL(38,1) AS h, DATE '2020-01-01' + (i * 11 % 90)::INTEGER AS dt, TIMESTAMP '2020-01-01 00:00:00' + INTERVAL (i * 7777) SECOND AS ts, (i * 0.25)::DOUBLE AS f FROM range(40) t(i);
CREATE TABLE r AS SELECT i AS id, 'w' || chr((97 + i * 7 % 26)::INTEGER) AS s, (i * 2.11)::DECIMAL(8,2) AS d, (i * 22345678901234567890.5)::DECIMAL(38,1) AS h, DATE '2020-01-15' + (i * 5)::INTEGER AS dt, TIMESTAMP '2020-01-01 12:00:00' + INTERVAL (i * 9999) SECOND AS ts, CASE i % 5 WHEN 0 THEN 'nan'::DOUBLE WHEN 1 THEN '-inf'::DOUBLE WHEN 2 THEN -0.0::DOUBLE WHEN 3 THEN NULL ELSE i * 0.5 END AS f FROM range(25) t(i);
-- query
SELECT l.id, r.id FROM l JOIN r ON l.s > r.s AND l.id < 20;
-- query
SELECT l.id, r.id FROM l JOIN r ON l.d BETWEEN r.d AND r.d + 3;
-- query
SELECT l.id, r.id FROM l LEFT JOIN r ON l.h < r.h AND l.id > r.id;
-- query
SELECT l.id, r.id FROM l JOIN r ON l.dt >= r.dt AND l.dt < r.dt + 7;
-- query
SELECT l.id, r.id FROM l FULL JOIN r ON l.ts > r.ts AND l.dt < r.dt;
-- query
SELECT l.id, r.id FROM l JOIN r ON l.f >= r.f;
-- query
SELECT l.id, r.id FROM l LEFT JOIN r ON l.f < r.f;
-- query
SELECT l.id, r.id FROM l JOIN r ON l.f <= r.f AND l.d > r.d;
-- query
SELECT a.id, b.id FROM r a JOIN r b ON a.f >= b.f AND a.id > b.id;
-- query
SELECT l.id FROM l ANTI JOIN r ON l.s <= r.s;
-- query
SELECT a.id, b.id FROM l a JOIN l b ON a.s BETWEEN b.s AND b.s || '1' AND a.id <> b.id;
-- case: empty-sides
CREATE TABLE l AS SELECT i AS a FROM range(6) t(i);
CREATE TABLE n AS SELECT NULL::BIGINT AS b FROM range(4);
CREATE TABLE e (b BIGINT, c BIGINT);
-- query
SELECT a, b FROM l JOIN n ON a < b;
-- query
SELECT a, b FROM l FULL JOIN n ON a >= b;
-- query
SELECT a, b, c FROM l LEFT JOIN e ON a BETWEEN b AND c;
-- query
SELECT a, b, c FROM l RIGHT JOIN e ON a BETWEEN b AND c;
-- query
SELECT a FROM l ANTI JOIN e ON a > b AND a < c;
-- query
SELECT a FROM l WHERE EXISTS (SELECT 1 FROM n WHERE a > b);
-- case: errors
CREATE TABLE l AS SELECT * FROM (VALUES (1, 4), (6, 0), (8, 2)) t(a, z);
CREATE TABLE r AS SELECT * FROM (VALUES (2, 1), (3, 0), (7, 3)) t(b, c);
-- error: Division by zero
SELECT a, b FROM l JOIN r ON a > b AND 12 // c = 4;
-- query
SELECT a, b FROM l JOIN r ON a > b AND CASE WHEN c > 0 THEN 12 // c > z ELSE false END;
-- error: Division by zero
SELECT a, b FROM l JOIN r ON a > b AND (a + b) // (z * c) > 0;
-- query
SELECT a, b FROM l JOIN r ON a < b AND (a + b) // (z + c - 3) < 100 AND a > 6;
-- error: Overflow in addition
SELECT a, b FROM l JOIN r ON a + 9223372036854775807 > b AND c < 5;
-- case: many-rows
CREATE TABLE ev AS SELECT i AS id, (i::BIGINT * 7919) % 100003 AS t FROM range(20000) x(i);
CREATE TABLE span AS SELECT i AS id, (i::BIGINT * 104729) % 100003 AS lo, (i::BIGINT * 104729) % 100003 + (i % 40) AS hi, i % 17 AS k FROM range(3000) x(i);
-- query
SELECT count(*), sum(ev.id), sum(span.id) FROM ev JOIN span ON t BETWEEN lo AND hi;
-- query
SELECT count(*), sum(ev.id), sum(span.id) FROM span JOIN ev ON t >= lo AND t < hi AND ev.id % 3 <> span.k % 3;
-- query
SELECT count(*), count(span.id), sum(ev.id) FROM ev LEFT JOIN span ON t BETWEEN lo AND hi;
-- query
SELECT count(*), count(span.id), count(ev.id) FROM ev FULL JOIN span ON t > lo AND t <= hi AND k = 3;
-- query
SELECT count(*) FROM ev WHERE EXISTS (SELECT 1 FROM span WHERE t BETWEEN lo AND hi);
-- query
SELECT count(*) FROM ev WHERE NOT EXISTS (SELECT 1 FROM span WHERE t BETWEEN lo AND hi AND k > 4);
-- query
SELECT count(*), sum(a.id) FROM span a JOIN span b ON a.lo < b.hi AND b.lo < a.hi AND a.id < b.id;
-- query
SELECT count(*), min(ev.id), max(span.id) FROM ev JOIN span ON t < lo AND k = 0 AND t > 90000;
-- query
SELECT k, count(*) FROM span JOIN ev ON t BETWEEN lo AND hi GROUP BY k ORDER BY k;
-- query
SELECT ev.id, span.id FROM ev JOIN span ON t BETWEEN lo AND hi ORDER BY ev.id, span.id LIMIT 50;
