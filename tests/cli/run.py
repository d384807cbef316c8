#!/usr/bin/env python3
"""Tests of the program `weft` as a user sees it: output, exit codes, the prompt.

usage: tests/cli/run.py WEFT [NAME...]    WEFT: the program; NAME: only tests whose names contain it

Needs no GPU: statements run with --backend none (plain DuckDB's executor) and --backend oracle (Weft's plans, answered
through DuckDB). The last line is "N passed, N failed, N skipped"; the exit code is 1 if a test failed.
"""
import csv
import fcntl
import io
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEFT = ""
TIMEOUT_S = 120


class Weft(unittest.TestCase):
    """A fresh HOME and working folder for every test."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weft_cli_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("WEFT_")}
        self.environment.update(HOME=str(self.folder), TERM="xterm", LANG="C.UTF-8", TZ="UTC")

    def weft(self, *arguments, stdin="", backend="none", code=0):
        """Runs the program, checks its exit code, returns (stdout, stderr)."""
        done = subprocess.run([WEFT, "--backend", backend, *arguments], input=stdin, capture_output=True, text=True,
                              encoding="utf-8", timeout=TIMEOUT_S, cwd=self.folder, env=self.environment)
        self.assertEqual(done.returncode, code, f"stdout:\n{done.stdout}\nstderr:\n{done.stderr}")
        return done.stdout, done.stderr

    def rows(self, sql, backend="none"):
        out, _ = self.weft("--format", "csv", "-c", sql, backend=backend)
        return list(csv.reader(io.StringIO(out)))[1:]


# Expressions whose value the shell prints itself; DuckDB's cast to VARCHAR says how it must look.
VALUES = r"""
1.0::DOUBLE | 1e15::DOUBLE | 1e16::DOUBLE | 123456789012345680::DOUBLE | 1e-4::DOUBLE | 1e-5::DOUBLE
0.1::DOUBLE + 0.2::DOUBLE | 'nan'::DOUBLE | '-inf'::DOUBLE | -0.0::DOUBLE | 5e-324::DOUBLE | 1.7976931348623157e308::DOUBLE
1e22::DOUBLE | 9007199254740993::DOUBLE | 1.5::FLOAT | 1e16::FLOAT | 16777216::FLOAT | 123456792::FLOAT | 1e-5::FLOAT
0.1::FLOAT | 3.4028235e38::FLOAT | 1.25::DECIMAL(10,3) | -0.05::DECIMAL(4,2) | 0::DECIMAL(38,10) | 7::DECIMAL(4,0)
170141183460469231731687303715884105727::HUGEINT | (-170141183460469231731687303715884105728)::HUGEINT
12345678901234567890::UBIGINT | (-128)::TINYINT | 65535::USMALLINT | true | false | NULL | NULL::DOUBLE | ''
DATE '2024-02-29' | DATE '0044-03-15 (BC)' | DATE 'infinity' | DATE '-infinity' | DATE '12345-01-02' | DATE '0001-01-01'
DATE '5877642-06-25 (BC)' | DATE '5881580-07-10' | TIMESTAMP '2024-01-01 12:34:56.789' | TIMESTAMP 'infinity'
TIMESTAMP '1969-12-31 23:59:59.999999' | TIMESTAMP '0044-03-15 (BC) 01:02:03' | TIMESTAMP_S '2024-01-01 12:34:56'
TIMESTAMP_MS '1960-01-01 12:34:56.780' | TIMESTAMP_NS '2024-01-01 12:34:56.123456789' | TIME '23:59:59.5' | TIME '24:00:00'
INTERVAL '14 months 3 days 04:05:06.7' | INTERVAL '-14 months -1 days' | INTERVAL '0 days' | INTERVAL '-25:00:00'
'\xAB\x00a"b'::BLOB | uuid '00000000-0000-0000-0000-0123456789ab' | 'x'::ENUM('x', 'y') | '{"a": 1}'::JSON
[1, 2, NULL] | ['a', 'b c', 'd,e', '', ' x', 'null', 'it''s', 'a\b', 'ü'] | {'a': 1, 'b': 'x y', 'c': NULL}
{'a b': [1, 2], 'd': {'e': 'f:g'}} | MAP {'k': 1, 'k 2': NULL} | MAP {1: [1, 2]} | [[1], []] | [1, 2, 3]::INTEGER[3]
[TIMESTAMP '2020-01-01 00:00:00'] | [1.5::DOUBLE, 1e20] | [INTERVAL '1 day'] | union_value(n := 5) | ['x'::ENUM('x', 'y')]
TIMESTAMPTZ '2024-06-01 12:00:00+00' | TIMESTAMPTZ '2050-07-01 12:00:00+00' | TIMESTAMPTZ 'infinity'
340282366920938463463374607431768211455::UHUGEINT | '101'::BIT | TIMETZ '12:00:00+02' | row(1, 'a')
""".strip().replace("\n", " | ").split(" | ")


class Values(Weft):
    def check_texts(self, zone, backend):
        pairs = ", ".join(f"{value}, ({value})::VARCHAR" for value in VALUES)
        cells = self.rows(f"SET TimeZone = '{zone}'; SELECT {pairs}", backend)[0]
        self.assertEqual(len(cells), 2 * len(VALUES))
        for i, value in enumerate(VALUES):
            self.assertEqual(cells[2 * i], cells[2 * i + 1], f"{value} in {zone}")

    def test_values_are_printed_as_duckdb_casts_them(self):
        for zone in ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"):
            self.check_texts(zone, "none")

    def test_values_of_columns_through_the_oracle_backend(self):
        sql = """
          CREATE TABLE t AS SELECT range AS i, (range * 0.25)::DOUBLE AS d, (range / 100)::DECIMAL(9, 2) AS m,
            'r' || range AS s, DATE '2024-01-01' + range::INTEGER AS day, range % 2 = 0 AS b FROM range(5);
          SELECT sum(i), sum(d), sum(m), max(s), max(day), count(*) FILTER (WHERE b) FROM t"""
        out, _ = self.weft("--format", "csv", "-c", sql, backend="oracle")
        self.assertEqual(out.splitlines()[1], "10,2.5,0.10,r4,2024-01-05,3")


class Rendering(Weft):
    def test_box(self):
        out, _ = self.weft("-c", "SELECT range AS i, range * 1.5 AS d, 'x' || range AS s, nullif(range = 1, false) AS b FROM range(2)")
        self.assertEqual(out, "\n".join([
            "┌───────┬───────────────┬─────────┬─────────┐",
            "│   i   │       d       │    s    │    b    │",
            "│ int64 │ decimal(21,1) │ varchar │ boolean │",
            "├───────┼───────────────┼─────────┼─────────┤",
            "│     0 │           0.0 │ x0      │ NULL    │",
            "│     1 │           1.5 │ x1      │ true    │",
            "└───────┴───────────────┴─────────┴─────────┘", ""]))

    def test_box_of_no_rows(self):
        out, _ = self.weft("-c", "SELECT 1 AS a WHERE false")
        self.assertEqual(out, "┌────────┐\n│   a    │\n│ int32  │\n└────────┘\n  0 rows\n")

    def test_box_shows_forty_rows_whole(self):
        out, _ = self.weft("-c", "FROM range(40)")
        self.assertEqual([int(cell) for cell in re.findall(r"│ +(\d+) │", out)], list(range(40)))
        self.assertNotIn("shown", out)

    def test_box_cuts_more_rows_to_the_first_and_last_twenty(self):
        for count in (41, 2049, 100000):
            out, _ = self.weft("-c", f"FROM range({count})")
            shown = [int(cell) for cell in re.findall(r"│ +(\d+) │", out)]
            self.assertEqual(shown, [*range(20), *range(count - 20, count)])
            self.assertEqual(out.count("·"), 3)
            self.assertIn(f"{count} rows", out)
            self.assertIn("(40 shown)", out)

    def test_box_maxrows(self):
        out, _ = self.weft("-c", ".maxrows 0\nFROM range(100)")
        self.assertEqual(len(re.findall(r"│ +\d+ │", out)), 100)

    def test_box_keeps_a_value_on_its_line_and_knows_wide_characters(self):
        out, _ = self.weft("-c", "SELECT E'a\\nb' AS x, '日本' AS y")
        lines = out.splitlines()
        self.assertIn("a\\nb", lines[4])
        self.assertTrue(lines[4].endswith("│ 日本    │"), lines[4])

    def test_json_is_valid_and_exact(self):
        out, _ = self.weft("--format", "json", "-c", """
          SELECT 'a"b\\c' || chr(10) || chr(1) || 'ü' AS "k""ey", 1.50 AS d, 'nan'::DOUBLE AS n, '-inf'::FLOAT AS f,
                 170141183460469231731687303715884105727::HUGEINT AS h, NULL AS z, true AS b, DATE '2020-01-01' AS day
          FROM range(2)""")
        rows = json.loads(out, parse_float=str)
        self.assertEqual(rows, 2 * [{"k\"ey": "a\"b\\c\n\x01ü", "d": "1.50", "n": "nan", "f": "-inf", "z": None, "b": True,
                                     "h": 170141183460469231731687303715884105727, "day": "2020-01-01"}])
        self.assertEqual(self.weft("--format", "json", "-c", "SELECT 1 WHERE false")[0], "[]\n")

    def test_json_of_nested_values(self):
        out, _ = self.weft("--format", "json", "-c", """
          SELECT [1, NULL, 3] AS l, []::INTEGER[] AS e, {'a': 'x"y', 'b': [1.5::DOUBLE, 'nan']} AS s, 
                 MAP {'k': 1, 'j': NULL} AS m, MAP {1: [true]} AS n, [1, 2]::INTEGER[2] AS a, NULL::INTEGER[] AS z,
                 union_value(num := 2) AS u, [DATE '2020-01-01'] AS d, [{'x': {'y': 1}}] AS deep""")
        self.assertEqual(json.loads(out), [{
            "l": [1, None, 3], "e": [], "s": {"a": 'x"y', "b": [1.5, "nan"]}, "m": {"k": 1, "j": None},
            "n": {"1": [True]}, "a": [1, 2], "z": None, "u": {"num": 2}, "d": ["2020-01-01"], "deep": [{"x": {"y": 1}}]}])

    def test_json_of_many_rows(self):
        out, _ = self.weft("--format", "json", "-c", "SELECT range AS r FROM range(5000)")
        self.assertEqual([row["r"] for row in json.loads(out)], list(range(5000)))

    def test_csv(self):
        out, _ = self.weft("--format", "csv", "-c", "SELECT 'a,b' AS a, NULL AS n, '' AS e, 'q\"q' AS \"q,\", E'x\\ny' AS l")
        self.assertEqual(out, 'a,n,e,"q,",l\n"a,b",,"","q""q","x\ny"\n')

    def test_markdown(self):
        out, _ = self.weft("--format", "markdown", "-c", "SELECT 'a|b' AS a, 1 AS l_n, NULL::INTEGER AS x")
        self.assertEqual(out, "| a | l_n | x |\n|---|---:|---:|\n| a\\|b | 1 | NULL |\n")

    def test_line(self):
        out, _ = self.weft("--format", "line", "-c", "SELECT range AS aa, 'b' AS b FROM range(2)")
        self.assertEqual(out, "aa = 0\n b = b\n\naa = 1\n b = b\n")

    def test_explain_is_printed_raw(self):
        for backend in ("none", "oracle"):
            out, _ = self.weft("-c", "CREATE TABLE t AS FROM range(3); EXPLAIN SELECT sum(range) FROM t", backend=backend)
            self.assertNotIn("explain_value", out)
            self.assertGreater(len(out.splitlines()), 2)

    def test_statements_without_rows_print_nothing(self):
        out, err = self.weft("-c", "CREATE TABLE t(a INTEGER); INSERT INTO t VALUES (1), (2); SET threads = 2; DROP TABLE t")
        self.assertEqual((out, err), ("", ""))
        out, _ = self.weft("--format", "csv", "-c", "CREATE TABLE t(a INTEGER); INSERT INTO t VALUES (1), (2) RETURNING a")
        self.assertEqual(out, "a\n1\n2\n")


class ExitCodes(Weft):
    def test_a_failed_statement_gives_1_and_duckdbs_message(self):
        out, err = self.weft("-c", "SELECT * FROM nosuch", code=1)
        self.assertEqual(out, "")
        self.assertTrue(err.startswith("Catalog Error: Table with name nosuch does not exist!"), err)
        self.assertIn("LINE 1: SELECT * FROM nosuch", err)
        _, err = self.weft("-c", "SELEC 1", code=1)
        self.assertTrue(err.startswith('Parser Error: syntax error at or near "SELEC"'), err)
        _, err = self.weft("-c", "FROM 'missing.parquet'", code=1)
        self.assertTrue(err.startswith("IO Error: No files found that match the pattern \"missing.parquet\""), err)

    def test_the_same_message_on_the_way_to_a_gpu(self):
        for sql in ("SELECT nosuch FROM range(3)", "SELECT sum('a' + 1)", "SELECT error('boom')", "SELECT CAST('x' AS INTEGER)"):
            plain = self.weft("-c", sql, code=1)
            self.assertEqual(self.weft("-c", sql, backend="oracle", code=1), plain)

    def test_a_script_stops_at_its_first_failure(self):
        out, err = self.weft("--format", "csv", "-c", "SELECT 1 AS a; SELECT error('boom'); SELECT 2 AS b", code=1)
        self.assertEqual(out, "a\n1\n")
        self.assertIn("boom", err)
        out, _ = self.weft("--format", "csv", stdin="SELECT 1 AS a;\nSELEC;\nSELECT 2 AS b;\n", code=1)
        self.assertEqual(out, "a\n1\n")
        out, _ = self.weft("--format", "csv", "-c", "SELECT 1 AS a;\n.nosuch\nSELECT 2 AS b", code=1)
        self.assertEqual(out, "a\n1\n")

    def test_bad_usage_gives_2(self):
        for arguments in (["--nosuch"], ["nosuch"], ["nosuch.sql"], ["--format", "xml"], ["--memory_limit_bytes", "8XB"],
                          ["--mode", "fast"], ["bench"], ["bench", "nosuch"], ["bench", "tpch"], ["parity", "tpch"],
                          ["verify"], ["doctor", "extra"], ["tpch", "generate", "--sf", "0", "--out", "x"],
                          ["tpch", "generate", "--sf", "inf", "--out", "x"],
                          ["a.duckdb", "b.duckdb"], ["-c"]):
            with self.subTest(arguments):
                out, err = self.weft(*arguments, code=2)
                self.assertEqual(out, "")
                self.assertNotEqual(err, "")
        self.assertEqual(os.listdir(self.folder), [], "a mistyped command must not make a database")

    def test_messages_about_bad_values_name_what_was_typed(self):
        _, err = self.weft("--memory-limit-bytes", "8XB", code=2)
        self.assertIn("--memory-limit-bytes: ", err)
        _, err = self.weft("tpch", "generate", "--sf", "abc", "--out", "x", code=2)
        self.assertIn("--sf: it is a number above 0, not 'abc'", err)

    def test_commands_fail_early_and_plainly(self):
        (self.folder / "file").write_text("")
        _, err = self.weft("bench", "tpch", "--data", "x", "--out", "no/such/run.json", code=1)
        self.assertIn("the report cannot be written to no/such/run.json", err)
        _, err = self.weft("bench", "tpch", "--data", "x", "--out", ".", code=1)
        self.assertIn("the report cannot be written to .", err)
        (self.folder / "cases.sql").write_text("-- case: one\nSELECT 1;\n")
        self.weft("verify", "cases.sql", "--case", "one")
        _, err = self.weft("verify", "cases.sql", "--case", "two", code=1)
        self.assertIn("there is no case 'two'", err)

    def test_tpcds_is_made_and_all_of_it_would_run_on_a_gpu(self):
        out, _ = self.weft("tpcds", "generate", "--sf", "0.01", "--out", "ds")
        self.assertRegex(out, r"store_sales +28810 rows")
        out, _ = self.weft("tpcds", "generate", "--sf", "0.01", "--out", "ds")
        self.assertIn("already in ds", out)
        # Q51 sums over rows in an order that only its data make total: its verdict is "undetermined", which fails.
        out, _ = self.weft("parity", "tpcds", "--data", "ds", "--queries", "1-50,52-99", backend="oracle")
        self.assertIn("98 of 98 equal, 98 wholly on the GPU", out)

    def test_an_unknown_backend_gives_2(self):
        self.weft("-c", "SELECT 1", backend="nosuch", code=2)

    def test_version_and_help(self):
        out, _ = self.weft("--version")
        self.assertRegex(out, r"^weft \d+\.\d+\.\d+ \(.+\)\nDuckDB v2\.0\.1\n$")
        out, _ = self.weft("--help")
        for word in ("doctor", "bench", "parity", "verify", "tpch", "--memory-limit-bytes", "--backend"):
            self.assertIn(word, out)

    def test_results_that_cannot_be_written_fail(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([WEFT, "--backend", "none", "-c", "FROM range(10)"], stdout=full, stderr=subprocess.PIPE,
                                  text=True, env=self.environment, timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, 1)
        self.assertIn("could not be written", done.stderr)


class Inputs(Weft):
    def test_standard_input_with_statements_over_many_lines(self):
        out, _ = self.weft("--format", "csv", stdin="SELECT -- one; no\n 1 AS a\n;SELECT ';' AS b; SELECT $$;$$ AS c")
        self.assertEqual(out, "a\n1\nb\n;\nc\n;\n")

    def test_a_file_and_a_database(self):
        (self.folder / "make.sql").write_text("CREATE TABLE t AS SELECT 42 AS a;\n-- the end\n")
        self.weft("make.sql", "d.duckdb")
        out, _ = self.weft("d.duckdb", "--format", "csv", "-c", "FROM t")
        self.assertEqual(out, "a\n42\n")

    def test_read_runs_a_file_and_fails_with_it(self):
        (self.folder / "good.sql").write_text("SELECT 1 AS a;")
        (self.folder / "bad.sql").write_text("SELECT 2 AS b; SELEC; SELECT 3 AS c;")
        self.assertEqual(self.weft("--format", "csv", "-c", ".read good.sql")[0], "a\n1\n")
        self.assertEqual(self.weft("--format", "csv", "-c", ".read bad.sql\nSELECT 4 AS d", code=1)[0], "b\n2\n")
        (self.folder / "loop.sql").write_text(".read loop.sql\n")
        self.assertIn("nested too deeply", self.weft("-c", ".read loop.sql", code=1)[1])
        self.weft("-c", ".read missing.sql", code=1)

    def test_a_parquet_glob_as_in_duckdb(self):
        for backend in ("none", "oracle"):
            for i in range(3):
                self.weft("-c", f"COPY (SELECT range AS r FROM range({i}, {i + 2})) TO 'p{i}.parquet'", backend=backend)
            out, _ = self.weft("--format", "csv", "-c", "SELECT sum(r) AS s, count(*) AS n FROM 'p*.parquet'", backend=backend)
            self.assertEqual(out, "s,n\n9,6\n")

    def test_csv_and_json_files(self):
        (self.folder / "a.csv").write_text("x,y\n1,a\n2,b\n")
        (self.folder / "b.json").write_text('{"x": 2, "z": "c"}\n{"x": 3, "z": "d"}\n')
        for backend in ("none", "oracle"):
            out, _ = self.weft("--format", "csv", "-c", "SELECT a.y, b.z FROM 'a.csv' a JOIN 'b.json' b USING (x)", backend=backend)
            self.assertEqual(out, "y,z\nb,c\n")


class DotCommands(Weft):
    def test_tables_and_schema(self):
        sql = "CREATE TABLE b(x INTEGER);\nCREATE SCHEMA s;\nCREATE VIEW s.a AS SELECT 1 AS one;\nCREATE INDEX i ON b(x);\n"
        self.assertEqual(self.weft("-c", sql + ".tables")[0], "b\ns.a\n")
        self.assertEqual(self.weft("-c", sql + ".tables b%")[0], "b\n")
        out, _ = self.weft("-c", sql + ".schema")
        self.assertIn("CREATE TABLE b(x INTEGER);\n", out)
        self.assertIn("CREATE INDEX i ON b(x);\n", out)
        self.assertIn("CREATE VIEW s.a AS SELECT 1 AS one;\n", out)

    def test_output(self):
        out, _ = self.weft("--format", "csv", "-c", ".output 'o ut.csv'\nSELECT 1 AS a;\n.output\nSELECT 2 AS b")
        self.assertEqual(out, "b\n2\n")
        self.assertEqual((self.folder / "o ut.csv").read_text(), "a\n1\n")
        self.assertIn("cannot write", self.weft("-c", ".output no/such/folder", code=1)[1])

    def test_mode(self):
        self.assertEqual(self.weft("-c", ".mode csv\nSELECT 1 AS a;\n.mode json\nSELECT 1 AS a;\n.mode")[0],
                         'a\n1\n[{"a":1}]\njson\n')
        self.assertIn("box, csv, json, markdown, line", self.weft("-c", ".mode xml", code=1)[1])

    def test_timer_says_where_it_ran(self):
        _, err = self.weft("-c", ".timer on\nSELECT 1")
        self.assertRegex(err, r"^Run Time \(s\): real \d+\.\d{3}, planning \d+\.\d{3}, ran on cpu\n$")
        sql = "CREATE TABLE t AS SELECT range AS r FROM range(100000);\n.timer on\nSELECT sum(r) FROM t WHERE r > 10"
        _, err = self.weft("-c", sql, backend="oracle")
        self.assertRegex(err, r"ran on (gpu|mixed)\n$")

    def test_exit_and_help(self):
        self.assertEqual(self.weft("-c", ".exit 7\nSELECT 1", code=7)[0], "")
        self.weft("-c", ".exit 999", code=1)
        out, _ = self.weft("-c", ".help")
        for command in (".tables", ".schema", ".mode", ".output", ".timer", ".read", ".help", ".quit", ".exit"):
            self.assertIn(command, out)


class Settings(Weft):
    def test_flags_environment_and_set(self):
        show = "SELECT current_setting('weft_memory_limit_bytes')::VARCHAR AS v"
        self.assertEqual(self.rows(show), [["0"]])
        self.environment["WEFT_MEMORY_LIMIT_BYTES"] = "1MB"
        self.assertEqual(self.rows(show), [["1000000"]])
        for flag in ("--memory-limit-bytes", "--memory_limit_bytes"):
            out, _ = self.weft(flag, "2GB", "--format", "csv", "-c", show)
            self.assertEqual(out, "v\n2000000000\n")
        self.assertEqual(self.rows(f"SET weft_memory_limit_bytes = '3GB'; {show}"), [["3000000000"]])

    def test_mode_native_required_refuses_with_reasons(self):
        _, err = self.weft("--mode", "native_required", "-c", "SELECT regexp_full_match('a', range::VARCHAR) FROM range(10)",
                           backend="oracle", code=1)
        self.assertIn("[not_supported_on_gpu]", err)

    def test_engine_duckdb_is_plain_duckdb(self):
        self.assertEqual(self.weft("--engine", "duckdb", "--format", "csv", "-c", "SELECT 1 AS a")[0], "a\n1\n")
        self.weft("--engine", "duckdb", "-c", "SELECT current_setting('weft_mode')", code=1)


class Gpu(Weft):
    """What a machine without a GPU says."""

    def setUp(self):
        super().setUp()
        if os.path.exists("/dev/nvidia0"):
            self.skipTest("this machine has a GPU")

    def test_auto_says_once_why_it_runs_on_the_cpu(self):
        out, err = self.weft("--format", "csv", "-c", "SELECT 1 AS a; SELECT 2 AS b", backend="auto")
        self.assertEqual(out, "a\n1\nb\n2\n")
        self.assertEqual(len(err.splitlines()), 1, err)
        self.assertTrue(err.startswith("Note: queries run on the CPU: "), err)

    def test_gpu_is_one_sentence_with_its_code(self):
        out, err = self.weft("-c", "SELECT 1", backend="gpu", code=1)
        self.assertEqual(out, "")
        self.assertRegex(err, r"\[(no_device|driver_too_old|library_missing|build_mismatch)\] \S+")
        self.assertEqual(len(err.splitlines()), 1, err)

    def test_doctor(self):
        out, _ = self.weft("doctor", backend="none")
        self.assertRegex(out, r"(?m)^no GPU +driver ")
        self.assertRegex(out, r"(?m)^ok +storage ")
        self.assertRegex(out, r"(?m)^ok +query ")
        out, _ = self.weft("doctor", backend="gpu", code=1)
        self.assertRegex(out, r"(?m)^fail +driver ")
        self.assertIn("cure: ", out)

    def test_doctor_finds_a_folder_that_cannot_be_written(self):
        (self.folder / "file").write_text("")
        out, _ = self.weft("doctor", "--kernel_cache_dir", str(self.folder / "file"), backend="none", code=1)
        self.assertRegex(out, r"(?m)^fail +storage ")


SLOW = "SELECT sum(a.range * b.range % 7) FROM range(10000000) a, range(1000000) b;"


class Prompt(Weft):
    """The interactive shell on a pseudo terminal."""

    def start(self, *arguments, backend="none"):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(self.folder)
            os.execve(WEFT, [WEFT, "--backend", backend, *arguments], self.environment)
        self.seen = ""
        self.addCleanup(self.stop)
        self.greeting = self.wait_for("weft> ")

    def stop(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.terminal)

    def read_some(self, timeout_s):
        ready, _, _ = select.select([self.terminal], [], [], timeout_s)
        if not ready:
            return False
        try:
            data = os.read(self.terminal, 65536)
        except OSError:  # the other side is closed
            return False
        self.seen += data.decode("utf-8", "replace")
        return bool(data)

    def wait_for(self, text, timeout_s=60):
        """Returns what came up to and with `text`, and forgets it."""
        end = time.monotonic() + timeout_s
        while text not in self.seen:
            self.assertLess(time.monotonic(), end, f"no {text!r} in {self.seen!r}")
            self.read_some(0.1)
        before, _, self.seen = self.seen.partition(text)
        return before + text

    def type(self, text):
        os.write(self.terminal, text.encode())

    def exit_code(self, press=""):
        """Waits for the end. `press` is typed again and again: a key that arrives before the prompt reads may be lost."""
        end = time.monotonic() + 60
        while True:
            if press:
                self.type(press)
            self.read_some(0.5)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.pid = 0
                return os.waitstatus_to_exitcode(status)
            self.assertLess(time.monotonic(), end, "the shell did not end")

    def test_a_statement_over_several_lines_and_ctrl_d(self):
        self.start()
        self.type("SELECT 40 +\n")
        self.wait_for("  ... ")
        self.type("2 AS answer;\n")
        self.assertIn("answer", self.wait_for("weft> "))
        self.assertEqual(self.exit_code(press="\x04"), 0)

    def test_ctrl_c_clears_what_was_typed(self):
        self.start()
        self.type("SELECT 1 +\n")
        self.wait_for("  ... ")
        self.type("2 AS half")
        self.wait_for("half")
        self.type("\x03")
        self.wait_for("weft> ")
        self.type("SELECT 'al' || 'ive' AS a;\n")
        self.assertIn("alive", self.wait_for("weft> "))

    def check_ctrl_c(self, backend, sql):
        self.start(backend=backend)
        self.type("SET threads = 1;\n")
        self.wait_for("weft> ")
        self.type(sql + "\n")
        time.sleep(1.5)
        start = time.monotonic()
        self.type("\x03")
        shown = self.wait_for("weft> ")
        self.assertLess(time.monotonic() - start, 10)
        self.assertRegex(shown, r"INTERRUPT Error|\[cancelled\]")
        self.type("SELECT 'al' || 'ive' AS a;\n")
        self.assertIn("alive", self.wait_for("weft> "))
        self.type(".exit 3\n")
        self.assertEqual(self.exit_code(), 3)

    def test_ctrl_c_cancels_a_query_and_not_the_shell(self):
        self.check_ctrl_c("none", SLOW)

    def test_ctrl_c_cancels_a_query_of_a_backend(self):
        self.check_ctrl_c("oracle", SLOW)

    def test_ctrl_c_right_after_enter_is_not_lost(self):
        (self.folder / ".weftrc").write_text(f"CREATE VIEW slow AS {SLOW}")
        self.start()
        for delay_s in (0, 0.001, 0.003, 0.01, 0.03, 0.1):
            self.type("FROM slow;\n")
            self.wait_for("slow;")
            time.sleep(delay_s)
            self.type("\x03")
            self.wait_for("weft> ", timeout_s=30)

    def test_an_error_does_not_end_the_shell(self):
        self.start()
        self.type("SELEC 1;\n")
        self.assertIn("Parser Error", self.wait_for("weft> "))
        self.type(".nosuch\n")
        self.assertIn(".help lists them", self.wait_for("weft> "))
        self.type(".quit\n")
        self.assertEqual(self.exit_code(), 0)

    def test_weftrc_and_history(self):
        (self.folder / ".weftrc").write_text(".mode csv\n")
        self.start()
        self.type("SELECT 1 AS first_column,\n")
        self.wait_for("  ... ")
        self.type("2 AS second_column;\n")
        self.assertIn("first_column,second_column", self.wait_for("weft> ").replace("SELECT 1 AS first_column,\r\n", ""))
        self.type("\x10")  # Ctrl-P: the statement before, on one line
        self.assertIn("AS first_column, 2 AS second_column;", self.wait_for("second_column;"))
        self.type("\n")
        self.wait_for("weft> ")
        self.assertEqual(self.exit_code(press="\x04"), 0)
        self.assertIn("second_column", (self.folder / ".weft_history").read_text())

    def test_an_error_in_weftrc_names_the_file(self):
        (self.folder / ".weftrc").write_text("SELEC 1;\n")
        self.start()
        self.assertIn(f"an error in {self.folder / '.weftrc'}", self.greeting)

    def test_a_slow_query_shows_that_it_runs(self):
        self.start()
        self.type(SLOW + "\n")
        self.wait_for("SELECT sum")
        end = time.monotonic() + 60
        while not re.search(r"running, \d+ s|▏ \d+ s", self.seen):
            self.assertLess(time.monotonic(), end, f"no bar in {self.seen!r}")
            self.read_some(0.1)
        self.type("\x03")
        self.wait_for("weft> ")

    def test_a_box_fits_the_terminal(self):
        self.start()
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 60, 0, 0))
        columns = ", ".join(f"'value {i}' AS column_{i}" for i in range(12))
        (self.folder / "wide.sql").write_text(f"SELECT {columns};")
        self.type(".read wide.sql\n")
        shown = self.wait_for("weft> ")
        boxes = [line for line in shown.splitlines() if line.startswith(("┌", "│", "├", "└"))]
        self.assertGreater(len(boxes), 4)
        self.assertLessEqual(max(len(line.rstrip()) for line in boxes), 60)
        self.assertIn("12 columns", shown)


class Documents(Weft):
    def test_errors_md_lists_every_code_and_nothing_else(self):
        def codes(header, enum):
            body = (ROOT / header).read_text().split(f"enum class {enum}")[1].split("};")[0]
            return set(re.findall(r"//\s*([a-z]+(?:_[a-z]+)*)\b(?=\s*$|:)", body, re.M))

        expected = codes("src/base/error.hpp", "ErrorCode") | codes("src/support/support.hpp", "RefusalCode")
        self.assertGreater(len(expected), 30)
        listed = re.findall(r"(?m)^\| `([a-z_]+)` \|", (ROOT / "docs/errors.md").read_text())
        self.assertEqual(set(listed), expected)


def main():
    global WEFT
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    WEFT = os.path.abspath(sys.argv[1])
    if not os.access(WEFT, os.X_OK):
        sys.exit(f"{WEFT} is no program: build it first")
    tests = list(flatten(unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])))
    chosen = [test for test in tests if not sys.argv[2:] or any(name in test.id() for name in sys.argv[2:])]
    result = unittest.TextTestRunner(verbosity=2, stream=sys.stdout).run(unittest.TestSuite(chosen))
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed, {len(result.skipped)} skipped")
    sys.exit(1 if failed else 0)


def flatten(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flatten(test)
        else:
            yield test


if __name__ == "__main__":
    main()
