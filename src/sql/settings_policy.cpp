#include "sql/settings_policy.hpp"

#include <algorithm>
#include <string>

namespace weft::sql {
namespace {

struct SettingPolicy {
  std::string_view name;
  SettingClass setting_class;
  std::string_view default_value;  // Refused: as DuckDB prints it
};

constexpr SettingPolicy kPolicies[] = {
    {"arrow_large_buffer_size", SettingClass::Honoured, ""},
    {"arrow_lossless_conversion", SettingClass::Honoured, ""},
    {"arrow_output_list_view", SettingClass::Honoured, ""},
    {"arrow_output_version", SettingClass::Honoured, ""},
    {"default_collation", SettingClass::Refused, ""},
    {"dialect_compatibility_mode", SettingClass::Refused, "NONE"},
    {"disabled_optimizers", SettingClass::Honoured, ""},
    {"error_on_division_by_zero", SettingClass::Refused, "true"},
    {"ieee_floating_point_ops", SettingClass::Refused, "true"},
    {"max_execution_time", SettingClass::Honoured, ""},
    {"max_streaming_buffer_size", SettingClass::Honoured, ""},
    {"preserve_insertion_order", SettingClass::Honoured, ""},
    {"streaming_buffer_size", SettingClass::Honoured, ""},
};

/// TimeZone and Calendar concern what translate/time_zone.hpp looks at, node by node. integer_division, null orders
/// and the like are bound into the plan. File access settings are enforced where DuckDB binds the scan.
constexpr std::string_view kNeutral[] = {
    "Calendar",
    "TimeZone",
    "access_mode",
    "active_grammar_extensions",
    "allocator_background_threads",
    "allocator_bulk_deallocation_flush_threshold",
    "allocator_flush_threshold",
    "allow_community_extensions",
    "allow_extension_repositories",
    "allow_extensions_metadata_mismatch",
    "allow_parser_override_extension",
    "allow_persistent_secrets",
    "allow_unredacted_secrets",
    "allow_unsigned_extensions",
    "allowed_configs",
    "allowed_directories",
    "allowed_paths",
    "approximate_join_order_threshold",
    "asof_loop_join_threshold",
    "async_threads",
    "auto_checkpoint_skip_wal_threshold",
    "autoinstall_extension_repository",
    "autoinstall_known_extensions",
    "autoload_known_extensions",
    "binary_as_string",
    "block_allocator_memory",
    "cache_local_files",
    "catalog_error_max_schemas",
    "checkpoint_on_detach",
    "checkpoint_threshold",
    "current_dialect",
    "current_transaction_invalidation_policy",
    "custom_extension_repository",
    "custom_user_agent",
    "debug_checkpoint_scan_sleep_ms",
    "default_block_size",
    "default_null_order",
    "default_order",
    "default_secret_storage",
    "default_transaction_invalidation_policy",
    "disable_database_invalidation",
    "disable_parquet_prefetching",
    "disable_timestamptz_casts",
    "disabled_compression_methods",
    "disabled_filesystems",
    "disabled_log_types",
    "duckdb_api",
    "dynamic_or_filter_threshold",
    "enable_external_access",
    "enable_external_file_cache",
    "enable_fsst_vectors",
    "enable_geoparquet_conversion",
    "enable_http_metadata_cache",
    "enable_logging",
    "enable_macro_dependencies",
    "enable_optimistic_write",
    "enable_optimizer",
    "enable_profiling",
    "enable_progress_bar",
    "enable_progress_bar_print",
    "enable_view_dependencies",
    "enabled_log_types",
    "errors_as_json",
    "explain_output",
    "extension_directories",
    "extension_repository_directory",
    "external_file_cache_local_max_block_size",
    "external_file_cache_remote_max_block_size",
    "external_file_cache_remote_min_block_size",
    "external_file_cache_request_sizing",
    "external_file_cache_spill",
    "external_threads",
    "file_search_path",
    "force_compression",
    "fsync_mode",
    "geometry_minimum_shredding_size",
    "home_directory",
    "http_client_pool_capacity",
    "http_proxy",
    "http_proxy_password",
    "http_proxy_username",
    "http_retry_quota_throttled",
    "http_retry_throttled_wait_ms",
    "ignore_unknown_crs",
    "immediate_transaction_mode",
    "index_scan_max_count",
    "index_scan_percentage",
    "initial_column_segment_size",
    "integer_division",
    "json_geometry_format",
    "late_materialization_max_rows",
    "lock_configuration",
    "log_query_path",
    "logging_level",
    "logging_mode",
    "logging_sink",
    "max_expression_depth",
    "max_memory",
    "max_temp_directory_size",
    "max_vacuum_tasks",
    "memory_limit",
    "merge_join_threshold",
    "nested_loop_join_threshold",
    "null_order",
    "operator_memory_limit",
    "order_by_non_integer_literal",
    "ordered_aggregate_threshold",
    "parquet_can_have_nan",
    "parquet_metadata_cache",
    "parquet_prefetch_column_gap",
    "parquet_use_page_index",
    "partitioned_write_flush_threshold",
    "partitioned_write_max_open_files",
    "password",
    "perfect_ht_threshold",
    "pin_threads",
    "pivot_filter_threshold",
    "pivot_limit",
    "prefer_range_joins",
    "prefetch_all_parquet_files",
    "preserve_identifier_case",
    "profile_output",
    "profiling_coverage",
    "profiling_output",
    "profiling_renderer_settings",
    "progress_bar_time",
    "read_ahead_depth",
    "redact_http_logs",
    "scalar_subquery_error_on_multiple_rows",
    "scheduler_process_partial",
    "schema",
    "search_path",
    "secret_directory",
    "show_behavior",
    "standard_vector_size",
    "storage_block_prefetch",
    "storage_compatibility_version",
    "temp_directory",
    "temp_file_encryption",
    "threads",
    "tracked_metrics",
    "user",
    "username",
    "validate_external_file_cache",
    "variant_minimum_shredding_size",
    "wal_autocheckpoint",
    "wal_autocheckpoint_entries",
    "warnings_as_errors",
    "worker_threads",
    "write_buffer_row_group_count",
    "write_buffer_row_group_memory_limit",
    "zstd_min_string_length",
};

}  // namespace

std::optional<SettingClass> classify_setting(std::string_view name) {
  for (const auto& policy : kPolicies) {
    if (policy.name == name) return policy.setting_class;
  }
  if (name.substr(0, 5) == "weft_") return SettingClass::Neutral;
  const bool neutral = std::find(std::begin(kNeutral), std::end(kNeutral), name) != std::end(kNeutral);
  return neutral ? std::optional(SettingClass::Neutral) : std::nullopt;
}

std::vector<support::Refusal> refused_settings(duckdb::ClientContext& context) {
  std::vector<support::Refusal> refusals;
  for (const auto& policy : kPolicies) {
    if (policy.setting_class != SettingClass::Refused) continue;
    duckdb::Value value;
    if (!context.TryGetCurrentSetting(duckdb::Identifier(std::string(policy.name)), value) || value.IsNull()) continue;
    const auto text = value.ToString();
    if (text == policy.default_value) continue;
    refusals.push_back({support::RefusalCode::UnsupportedSetting, std::string(policy.name) + " = " + text, "SETTING"});
  }
  return refusals;
}

}  // namespace weft::sql
