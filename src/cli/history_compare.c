/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/history_compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/figures.h"

static void print_side(const char *letter, const struct pawl_comparison_side *side) {
  printf("%s: %s, the %s", letter, side->name, side->kind);
  if (!strstr(side->name, side->key)) printf(" %.40s", side->key);
  putchar('\n');
}

static void print_interval(double low, double high) {
  char text[64] = "unknown";
  if (!isnan(low)) snprintf(text, sizeof text, "%+.1f to %+.1f %%", low, high);
  printf("%-20s", text);
}

static void print_row(const struct pawl_comparison_row *row) {
  char a[PAWL_FIGURE], b[PAWL_FIGURE];
  printf("%-20s %-18s %12s %12s %+8.1f %%  ", row->kernel_name, row->case_name,
         pawl_figure_of_unit(row->a, row->unit, a), pawl_figure_of_unit(row->b, row->unit, b),
         row->loss_pct);
  print_interval(row->low_pct, row->high_pct);
  printf("%-9s %-7s %s\n", row->evidence, row->answer,
         row->hardware_name ? row->hardware_name : "-");
}

static void print_table(const struct pawl_comparison_table *table) {
  print_side("A", &table->a);
  print_side("B", &table->b);
  printf("\n%-20s %-18s %12s %12s %10s  %-20s%-9s %-7s %s\n", "kernel", "case", "A", "B", "loss",
         "95 % interval", "evidence", "answer", "hardware");
  for (size_t i = 0; i < table->count; i++) print_row(&table->rows[i]);
  printf("\ngeometric mean of %zu %s: %+.2f %%, ", table->count, table->count == 1 ? "row" : "rows",
         table->mean_pct);
  if (table->unknown)
    printf("the interval is unknown, because %lld rows have none\n", (long long)table->unknown);
  else
    printf("%+.2f to %+.2f %%\n", table->mean_low_pct, table->mean_high_pct);
  printf("paired evidence: %lld; series with a value of A alone: %lld, of B alone: %lld\n",
         (long long)table->paired, (long long)table->only_a, (long long)table->only_b);
  if (table->several)
    printf(
        "several machines have the name '%s', and each has its rows: name one by its hardware "
        "identity\n",
        table->b.key);
}

pawl_status pawl_history_compare(struct pawl_cli *cli, struct pawl_store *store,
                                 const struct pawl_history_sides *sides, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_comparison_side a, b;
  struct pawl_comparison_table table;
  PAWL_TRY(pawl_comparison_find(store, sides->folder, sides->a, &cli->arena, &a, err));
  PAWL_TRY(pawl_comparison_find(store, sides->folder, sides->b, &cli->arena, &b, err));
  PAWL_TRY(pawl_comparison_read(store, &a, &b, &sides->choice, &cli->arena, &table, err));
  if (sides->path && !pawl_ends_with(sides->path, ".json")) {
    pawl_comparison_csv(&table, &text);
    return pawl_cli_write(sides->path, text.data, text.length, err);
  }
  if (cli->json || sides->path) {
    document = pawl_struct_write(&pawl_comparison_table_fields, &table);
    return pawl_cli_write_json(sides->path, document, err);
  }
  print_table(&table);
  return PAWL_OK;
}
