-- kind: joins without an equality: any predicate, every kind of join, cross joins of two sides with many rows
-- case: kinds
CREATE TABLE l AS SELECT * FROM (VALUES (1, 10), (2, 20), (2, 25), (5, 50), (NULL, 60), (9, NULL)) t(a, v);
CREATE TABLE r AS SELECT * FROM (VALUES (1, 7), (2, 20), (4, 45), (5, 55), (NULL, 30), (8, NULL)) t(b, w);
-- query
SELECT a, v, b, w FROM l JOIN r ON a + b > 6;
-- query
SELECT a, v, b, w FROM l LEFT JOIN r ON a * b = 10 OR v = w;
-- query
SELECT a, v, b, w FROM l RIGHT JOIN r ON a * b = 10 OR v = w;
-- query
SELECT a, v, b, w FROM l FULL JOIN r ON a * b = 10 OR v = w;
-- query
SELECT a, v FROM l SEMI JOIN r ON a + b > 12 OR v < w;
-- query
SELECT a, v FROM l ANTI JOIN r ON a + b > 12 OR v < w;
-- query
SELECT a, v, b, w FROM l JOIN r ON a <> b AND v > w;
-- query
SELECT a, v, b, w FROM l FULL JOIN r ON a IS DISTINCT FROM b AND v > 40 AND w < 50;
-- query
SELECT a, v, b, w FROM l LEFT JOIN r ON (a < b) = (v < w);
-- query
SELECT a, b FROM l JOIN r ON CASE WHEN a > 3 THEN b > 3 WHEN a IS NULL THEN b = 1 ELSE b IS NULL END;
-- case: marks
CREATE TABLE l AS SELECT * FROM (VALUES (1, 10), (2, 20), (5, 50), (NULL, 60), (9, NULL)) t(a, v);
CREATE TABLE r AS SELECT * FROM (VALUES (1, 10), (4, 45), (5, 55), (NULL, 30)) t(b, w);
-- query
SELECT a, a > ANY (SELECT b FROM r) AS x FROM l;
-- query
SELECT a, a >= ALL (SELECT b FROM r WHERE b IS NOT NULL) AS x FROM l;
-- query
SELECT a, a <> ALL (SELECT b FROM r) AS x FROM l;
-- query
SELECT a, a < ANY (SELECT b FROM r WHERE b > 100) AS x FROM l;
-- query
SELECT a, EXISTS (SELECT 1 FROM r WHERE b < a) AS x FROM l;
-- query
SELECT a, EXISTS (SELECT 1 FROM r WHERE b < a AND w > v) AS x FROM l;
-- query
SELECT a FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE b + w > a + v);
-- query
SELECT a, v FROM l WHERE a > ALL (SELECT b FROM r WHERE w < 50 AND b IS NOT NULL) OR v = 60;
-- case: scalar-subqueries
CREATE TABLE l AS SELECT * FROM (VALUES (1, 10), (2, 20), (5, 50), (NULL, 60)) t(a, v);
CREATE TABLE r AS SELECT * FROM (VALUES (1, 10), (4, 45), (5, 55), (NULL, 30)) t(b, w);
-- query
SELECT a, (SELECT max(w) FROM r WHERE b < a) AS m, (SELECT count(*) FROM r WHERE b <= a AND w <> v) AS n FROM l;
-- query
SELECT a, (SELECT w FROM r WHERE b > a + 3) AS m FROM l WHERE a < 2;
-- error: More than one row returned by a subquery
SELECT a, (SELECT w FROM r WHERE b >= a) AS m FROM l;
-- case: correlated-and-lateral
CREATE TABLE l AS SELECT i AS a, i * 2 AS v FROM range(10) t(i);
CREATE TABLE r AS SELECT i AS b, i * 3 AS w FROM range(10) t(i);
-- query
SELECT a, a > ANY (SELECT b FROM r WHERE w < v) AS x FROM l;
-- query
SELECT a, a IN (SELECT b FROM r WHERE w < v) AS x FROM l;
-- query
SELECT a, a + 1 IN (SELECT b FROM r WHERE w + v > 10) AS x FROM l;
-- query
SELECT a, EXISTS (SELECT 1 FROM r WHERE w + v > 20) AS x FROM l;
-- query
SELECT a FROM l WHERE a NOT IN (SELECT b FROM r WHERE w <> v);
-- query
SELECT a FROM l WHERE a > ALL (SELECT b FROM r WHERE r.w = l.v);
-- query
SELECT a FROM l WHERE EXISTS (SELECT 1 FROM r WHERE b > a) OR EXISTS (SELECT 1 FROM r WHERE w < v AND b + a > 3);
-- query
SELECT a, x.b FROM l, LATERAL (SELECT b FROM r WHERE w < v) x;
-- query
SELECT a, x.b FROM l LEFT JOIN LATERAL (SELECT b FROM r WHERE w < v ORDER BY b DESC LIMIT 2) x ON true;
-- query
SELECT a, b FROM l LEFT JOIN r ON a IN (SELECT w FROM r) AND b > a;
-- query
SELECT a, b FROM l LEFT JOIN r ON EXISTS (SELECT 1 FROM r z WHERE z.b > l.a AND z.w < r.w);
-- query
SELECT a, b FROM l JOIN r ON a BETWEEN b AND w OR a IS NULL;
-- case: cross-joins
CREATE TABLE l AS SELECT i AS a, i % 3 AS k FROM range(40) t(i);
CREATE TABLE r AS SELECT i AS b, 'r' || i AS s FROM range(30) t(i);
-- query
SELECT a, b, s FROM l, r;
-- query
SELECT count(*), sum(a * b), min(s), max(a) FROM l CROSS JOIN r;
-- query
SELECT k, count(*), sum(b) FROM l, r WHERE a % 7 <> b % 5 GROUP BY k;
-- query
SELECT count(*) FROM l x, l y, r z;
-- query
SELECT a, b FROM l LEFT JOIN r ON true WHERE a < 3 AND b > 20;
-- query
SELECT x.k, y.k, z.m FROM (SELECT DISTINCT k FROM l) x, (SELECT DISTINCT k FROM l) y, (SELECT b % 2 AS m FROM r GROUP BY ALL) z;
-- case: empty-sides
CREATE TABLE l AS SELECT i AS a FROM range(5) t(i);
CREATE TABLE e (b BIGINT, s VARCHAR);
-- query
SELECT a, b, s FROM l JOIN e ON a < b;
-- query
SELECT a, b, s FROM l LEFT JOIN e ON a < b;
-- query
SELECT a, b, s FROM e RIGHT JOIN l ON a < b OR s LIKE '%' || a;
-- query
SELECT a, b, s FROM l FULL JOIN e ON a <> b;
-- query
SELECT a FROM l SEMI JOIN e ON a < b;
-- query
SELECT a FROM l ANTI JOIN e ON a < b;
-- query
SELECT a, a > ANY (SELECT b FROM e) AS x, a > ALL (SELECT b FROM e) AS y FROM l;
-- query
SELECT b, s, a FROM e LEFT JOIN l ON a < b;
-- query
SELECT a, b FROM l, e;
-- query
SELECT x.b, y.s FROM e x FULL JOIN e y ON x.b > y.b;
-- case: text-and-mixed-types
CREATE TABLE words AS SELECT * FROM (VALUES ('apple', 1), ('apricot', 2), ('banana', 3), (NULL, 4), ('', 5), ('zoé', 6)) t(w, n);
CREATE TABLE parts AS SELECT * FROM (VALUES ('ap%', 1.50::DECIMAL(6,2)), ('%an%', 2.00), ('%', 3.25), (NULL, 0.10), ('zo_', 9.99)) t(p, d);
-- query
SELECT w, d FROM words JOIN parts ON contains(w, replace(p, '%', ''));
-- query
SELECT w, p FROM words LEFT JOIN parts ON w < p AND n < d;
-- query
SELECT w, p FROM words FULL JOIN parts ON length(w) = length(p);
-- query
SELECT w, d FROM words JOIN parts ON n * 1.5 <= d AND w || p <> 'applezo_';
-- query
SELECT a.w, b.w FROM words a JOIN words b ON a.w > b.w;
-- case: errors
CREATE TABLE l AS SELECT * FROM (VALUES (1, '3'), (6, '4'), (8, 'x')) t(a, s);
CREATE TABLE r AS SELECT * FROM (VALUES (2, 1), (3, 2), (0, 3)) t(b, c);
-- error: Division by zero
SELECT a, b FROM l JOIN r ON a // b = 2;
-- error: Division by zero
SELECT a, b FROM l LEFT JOIN r ON a % b = c OR a < b;
-- error: Could not convert string 'x' to INT32
SELECT a, b FROM l JOIN r ON s::INTEGER > b;
-- error: Overflow in multiplication
SELECT a, b FROM l JOIN r ON (a * 2000000000)::INTEGER * b > 5;
-- query
SELECT a, b FROM l JOIN r ON CASE WHEN b = 0 THEN false ELSE a // b = 2 END;
-- query
SELECT a, b FROM l JOIN (SELECT * FROM r WHERE b > 0) r ON a // b = c;
-- query
SELECT a, b FROM l LEFT JOIN (SELECT * FROM r WHERE c > 10) r ON a // (b - b) = 1;
-- query
SELECT a, b FROM l JOIN r ON try_cast(s AS INTEGER) > b;
-- case: many-rows
CREATE TABLE l AS SELECT i AS a, (i * 7919) % 1009 AS v, CASE WHEN i % 11 = 0 THEN NULL ELSE 'k' || i % 100 END AS s FROM range(3000) t(i);
CREATE TABLE r AS SELECT i AS b, (i * 104729) % 1013 AS w, 'k' || i % 90 AS s FROM range(2500) t(i);
-- query
SELECT count(*), sum(v), sum(w) FROM l JOIN r ON (v + w) % 97 = 5;
-- query
SELECT count(*), count(b), sum(v) FROM l LEFT JOIN r ON (v * w) % 1999 = 3;
-- query
SELECT count(*), count(a), count(b) FROM l FULL JOIN r ON (v * w) % 3001 = 3;
-- query
SELECT count(*) FROM l WHERE EXISTS (SELECT 1 FROM r WHERE (v * w) % 4001 = 3);
-- query
SELECT count(*) FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE (v + w) % 2003 = 7);
-- query
SELECT count(*), sum(length(l.s)) FROM l JOIN r ON l.s <> r.s AND l.v = r.w + 1;
-- query
SELECT s, count(*) FROM (SELECT l.s FROM l JOIN r ON l.s > r.s AND l.v % 50 = 1) GROUP BY s ORDER BY s LIMIT 20;
-- query
SELECT count(*) FROM l, r WHERE abs(v - w) < 3;
-- case: nearest
CREATE TABLE l AS SELECT i AS id, (i * 17 % 50)::DOUBLE AS x FROM range(40) t(i);
CREATE TABLE r AS SELECT i AS id, i * 1.618 AS y FROM range(60) t(i);
-- query
SELECT l.id, r.id FROM l JOIN r NEAREST 2 BY DISTANCE abs(x - y);
-- query
SELECT l.id, r.id FROM l LEFT JOIN r NEAREST 1 BY SIMILARITY (x + 1) * y;
-- case: positional
CREATE TABLE l AS SELECT i AS a FROM range(5) t(i);
CREATE TABLE r AS SELECT i * 10 AS b FROM range(7) t(i);
-- query
SELECT a, b FROM l POSITIONAL JOIN r;
-- query
SELECT a, n FROM l POSITIONAL JOIN (SELECT b, count(*) AS n FROM r GROUP BY b ORDER BY b DESC) ORDER BY a;
