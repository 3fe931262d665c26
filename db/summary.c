/* What is in a database, in numbers. */
#include "db/internal.h"
#include "db/upkeep.h"

enum tw_db_status tw_db_kernel_each(tw_db *db, tw_db_kernel_visitor visit, void *context) {
    struct tw_db_query query;
    tw_db_select_start(
        &query, db,
        "SELECT kernel, count(*),"
        " sum((SELECT count(*) FROM best WHERE best.problem = problem.id)),"
        " sum((SELECT count(*) FROM trial WHERE trial.problem = problem.id)),"
        " sum((SELECT count(*) FROM run WHERE run.problem = problem.id)) FROM problem",
        "count its rows");
    tw_db_select_ready(&query, "GROUP BY kernel ORDER BY kernel");
    while (tw_db_query_row(&query)) {
        struct tw_db_kernel_row row;
        row.kernel = tw_db_next_text(&query);
        row.problems = tw_db_next_integer(&query);
        row.best = tw_db_next_integer(&query);
        row.trials = tw_db_next_integer(&query);
        row.runs = tw_db_next_integer(&query);
        if (query.status == TW_DB_OK && !visit(context, &row)) {
            break;
        }
    }
    return tw_db_query_finish(&query);
}
