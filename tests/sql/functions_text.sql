-- kind: functions of text: padding, other alphabets, distances, digests, paths
-- case: padding
CREATE TABLE t AS SELECT * FROM (VALUES (1, 'hello'), (2, 'héllo wörld'), (3, ''), (4, NULL), (5, '日本語テキスト'), (6, 'a🦆b🦆c'), (7, 'x')) x(id, s);
-- query
SELECT id, lpad(s, 8, '*'), rpad(s, 8, 'é-'), lpad(s, 2, 'y'), rpad(s, 0, 'x'), lpad(s, -1, 'x'), repeat(s, 3), repeat(s, 0), repeat(s, -2), repeat(s, id), s || repeat('-', id) FROM t ORDER BY id;
-- error: Insufficient padding in LPAD
SELECT lpad(s, 20, '') FROM t;
-- error: Insufficient padding in RPAD
SELECT rpad(s, id + 20, substring(s, 100)) FROM t WHERE s IS NOT NULL;
-- query
SELECT id, translate(s, 'lo', '01'), translate(s, 'hé日', 'H'), translate(s, s, 'xyz'), overlay(s PLACING 'ÄB' FROM 2), overlay(s PLACING 'ÄB' FROM 2 FOR 3), overlay(s, '', id, 1) FROM t ORDER BY id;
-- query
SELECT id, ascii(s), unicode(s), ord(s), bit_length(s), hex(s), to_hex(s), bin(left(s, 1)), chr(ascii(s) + 1) FROM t WHERE s <> '' OR s IS NULL ORDER BY id;
-- error: Invalid UTF8 Codepoint
SELECT chr(id * 200000) FROM t;
-- query
SELECT id, concat_ws('-', s, 'x', s), concat_ws(s, 'a', NULL, 'b'), concat_ws(NULL, s), concat_ws(',', NULL, s, NULL), concat_ws('', id, s) FROM t ORDER BY id;
-- query
SELECT lpad(id::VARCHAR, 5, '0') AS k, count(*) FROM t GROUP BY k ORDER BY k;
-- case: escapes-and-paths
CREATE TABLE t AS SELECT * FROM (VALUES (1, '/a/b/c.tar.gz'), (2, 'a/b'), (3, 'plain.txt'), (4, '/'), (5, 'a\b/c.x'), (6, NULL), (7, ''), (8, 'é ?&=%/日.hidden')) x(id, s);
-- query
SELECT id, parse_filename(s), parse_filename(s, true), parse_filename(s, 'forward_slash'), parse_filename(s, true, 'backslash'), parse_dirname(s), parse_dirname(s, 'backslash'), parse_dirpath(s), parse_dirpath(s, 'system') FROM t ORDER BY id;
-- query
SELECT id, url_encode(s), url_decode(url_encode(s)) = s, url_decode(s), regexp_escape(s) FROM t ORDER BY id;
-- error: decoded value is invalid UTF8
SELECT url_decode('%F' || s) FROM t WHERE id = 2;
-- case: distances
CREATE TABLE t AS SELECT * FROM (VALUES (1, 'kitten', 'sitting'), (2, 'MARTHA', 'MARHTA'), (3, 'DIXON', 'DICKSONX'), (4, '', 'abc'), (5, NULL, 'a'), (6, 'héllo', 'hello'), (7, 'ca', 'abc'), (8, repeat('ab', 50), repeat('ba', 60)), (9, '日本語', '日本'), (10, 'same', 'same')) x(id, a, b);
-- query
SELECT id, levenshtein(a, b), editdist3(a, b), damerau_levenshtein(a, b), jaro_similarity(a, b), jaro_winkler_similarity(a, b), jaro_winkler_similarity(a, b, 0.8), jaro_similarity(a, 'MARTHA'), jaro_similarity('MARTHA', b), levenshtein(a, 'sitting') FROM t ORDER BY id;
-- query
SELECT id, hamming(a, left(b, length(a))), mismatches(a, a), jaccard(a, b) FROM t WHERE id IN (1, 2, 5, 6, 10) ORDER BY id;
-- error: Strings must be of equal length
SELECT hamming(a, b) FROM t;
-- error: An argument too short
SELECT jaccard(a, b) FROM t;
-- query
SELECT a.id, b.id FROM t a JOIN t b ON levenshtein(a.a, b.b) <= 3 ORDER BY a.id, b.id;
-- case: digests
CREATE TABLE t AS SELECT i AS id, repeat('aé', i::INTEGER) AS s FROM range(0, 200, 13) x(i);
INSERT INTO t VALUES (1000, NULL);
-- query
SELECT id, md5(s), sha1(s), sha256(s) FROM t ORDER BY id;
-- query
SELECT left(md5(s), 1) AS bucket, count(*) FROM t GROUP BY bucket ORDER BY bucket;
-- case: graphemes-and-globs
CREATE TABLE t AS SELECT * FROM (VALUES (1, 'abc'), (2, 'e' || chr(769) || 'a'), (3, '🤦🏼‍♂️x'), (4, '🇩🇪🇫🇷'), (5, ''), (6, NULL), (7, '日本語')) x(id, s);
-- query
SELECT id, reverse(s), length_grapheme(s), left_grapheme(s, 1), right_grapheme(s, 1), substring_grapheme(s, 2, 2), substring_grapheme(s, -2), s GLOB '*a*', s GLOB '[a-e]*', s GLOB '?' FROM t ORDER BY id;
-- error: Substring length outside of supported range
SELECT left_grapheme(s, id * 4294967296) FROM t;
-- case: split-part
CREATE TABLE t AS SELECT * FROM (VALUES (1, 'a,b,c', ',', 1), (2, ',lead', ',', -1), (3, 'none', 'x', 2), (4, '', ',', 1), (5, NULL, ',', 1), (6, 'é,日,🦆', '日', 2), (7, 'x,,y,', NULL, 1), (8, 'x--y--z', '--', -2), (9, 'abc', '', 2), (10, '', '', 1), (11, 'a,b', ',', 0), (12, 'longseparatorhere', 'separator', 2)) x(id, s, p, i);
-- query
SELECT id, split_part(s, ',', 1), split_part(s, ',', -1), split_part(s, p, i), split_part(s, p, 9), split_part(s, ',', 0), string_split(s, ',')[2], str_split(s, p)[i], s[1], s[-1], s[i], list_extract(s, 2), list_element(s, 3) FROM t ORDER BY id;
-- query
SELECT split_part(s, ',', 1) AS k, count(*) FROM t GROUP BY k ORDER BY k;
-- query
SELECT id, s[2:], s[:2], s[2:3], s[-2:], s[:-2], s[i:], array_slice(s, i, 3), hash(s), hash(s, i, p) % 10 FROM t ORDER BY id;
-- query
SELECT hash(s) % 3 AS bucket, count(*) FROM t GROUP BY bucket ORDER BY bucket;
