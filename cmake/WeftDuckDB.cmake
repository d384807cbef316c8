# duckdb::duckdb: DuckDB as one static library with its extensions. Call duckdb_register_static_extensions() before the first
# DuckDB object; tpch and tpcds are loaded with db.LoadStaticExtension<duckdb::TpchExtension>().
set(duckdb_root "${weft_deps}/duckdb-2.0.1")
if(NOT EXISTS "${duckdb_root}/lib/libduckdb_static.a")
  message(FATAL_ERROR "DuckDB 2.0.1 is not in ${duckdb_root}: run tools/deps")
endif()
file(GLOB duckdb_archives "${duckdb_root}/lib/*.a")

# The extensions' describe functions are what pulls them out of their archives, and only this file names them.
add_library(weft_duckdb_loader STATIC "${duckdb_root}/duckdb_static_extension_loader.c")
target_include_directories(weft_duckdb_loader SYSTEM PRIVATE "${duckdb_root}/include")

add_library(weft_duckdb INTERFACE)
add_library(duckdb::duckdb ALIAS weft_duckdb)
target_include_directories(weft_duckdb SYSTEM INTERFACE "${duckdb_root}/include")
target_link_libraries(weft_duckdb INTERFACE weft_duckdb_loader
  -Wl,--start-group ${duckdb_archives} -Wl,--end-group Threads::Threads ${CMAKE_DL_LIBS})
