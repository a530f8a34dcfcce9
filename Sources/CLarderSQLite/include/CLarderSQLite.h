// What LarderSQLite needs of C: functions of SQLite that Swift cannot call (variadic ones, function-like macros), the
// table-valued function, the checked arithmetic and the collation that every connection gets, and a fair queue.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// As in sqlite3.h, which is not included here: its declarations must belong to the module CSQLite alone.
typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
typedef struct sqlite3_context sqlite3_context;

// MARK: - Calls that Swift cannot make itself (support.c)

// sqlite3_db_config is variadic. For those of its settings that take a flag.
int larder_db_config_flag(sqlite3 *db, int setting, int value);

// SQLITE_TRANSIENT is a cast of -1 to a function pointer: SQLite takes a copy.
int larder_bind_text_copy(sqlite3_stmt *statement, int index, const char *text, uint64_t length);
int larder_bind_blob_copy(sqlite3_stmt *statement, int index, const void *bytes, uint64_t length);
void larder_result_text_copy(sqlite3_context *context, const char *text, uint64_t length);
void larder_result_blob_copy(sqlite3_context *context, const void *bytes, uint64_t length);

// Identifies the calling thread while it lives. Never 0.
uint64_t larder_thread_identifier(void);

// Nanoseconds of a clock that never jumps.
int64_t larder_monotonic_nanoseconds(void);

// MARK: - Waiting for other processes (support.c)

// How long a connection waits for a lock held by another process, and what it has seen.
typedef struct larder_busy_policy {
  int64_t limit_nanoseconds;
  int64_t longest_pause_microseconds;
  int64_t started_nanoseconds;
  uint64_t random_state;
  int64_t waits;
} larder_busy_policy;

// Short, jittered pauses until the policy's limit is reached. The policy must outlive the connection.
int larder_install_busy_policy(sqlite3 *db, larder_busy_policy *policy);

// What the commit, rollback and WAL hooks of a connection note for the Swift side.
typedef struct larder_transaction_watch {
  // 1 while a scoped transaction is open: a commit that the scope did not ask for is refused.
  int32_t guarding;
  // 1 while the scope itself commits.
  int32_t committing;
  // Raised by each rollback.
  int64_t rollbacks;
  // Frames in the write-ahead log after the last commit of this connection.
  int64_t wal_frames;
  // Raised by each commit that went into the write-ahead log.
  int64_t wal_commits;
  // Frames at which a commit also runs a passive checkpoint; 0 for never.
  int64_t checkpoint_frames;
  // Frames at which the next one comes, after one that could not have the log begin anew.
  int64_t next_checkpoint;
} larder_transaction_watch;

// The watch must outlive the connection.
void larder_install_transaction_watch(sqlite3 *db, larder_transaction_watch *watch);
void larder_install_wal_watch(sqlite3 *db, larder_transaction_watch *watch);

// MARK: - Typed arrays as a table (values.c)

enum { LARDER_VALUES_INT64 = 1, LARDER_VALUES_DOUBLE = 2, LARDER_VALUES_TEXT = 3, LARDER_VALUES_BLOB = 4 };

// An immutable array of one type, counted by reference, read by larder_values(?).
typedef struct larder_values {
  int64_t references;
  int32_t kind;
  int64_t count;
  // A byte for each element, 1 for NULL; NULL when no element is.
  uint8_t *nulls;
  // The numbers of an INT64 or DOUBLE array.
  int64_t *integers;
  double *doubles;
  // Texts and blobs one after another; element i ends at ends[i] and starts where its predecessor ends.
  uint8_t *bytes;
  int64_t *ends;
} larder_values;

// NULL when memory is short. `bytes` is the total length of the texts or blobs; `with_nulls` asks for the NULL map.
larder_values *larder_values_create(int32_t kind, int64_t count, int64_t bytes, int with_nulls);
void larder_values_release(larder_values *values);

// Binds, and keeps the array until the parameter is bound again, cleared, or the statement finalized.
int larder_bind_values(sqlite3_stmt *statement, int index, larder_values *values);

int larder_register_values(sqlite3 *db);

// MARK: - Checked arithmetic (arithmetic.c)

// The beginnings of the messages by which the Swift side knows the failure.
#define LARDER_OVERFLOW_MESSAGE "larder arithmetic overflow in "
#define LARDER_DIVISION_MESSAGE "larder division by zero in "
#define LARDER_OPERAND_MESSAGE "larder arithmetic on a value that is not a number in "

// larder_add, larder_sub, larder_mul, larder_div, larder_mod (two arguments) and larder_neg (one).
int larder_register_arithmetic(sqlite3 *db);

// MARK: - Decimal order (decimal.c)

#define LARDER_DECIMAL_COLLATION "larder_decimal"

// -1, 0 or 1. Texts of the form -?digits(.digits)? by value; all others after them, by their bytes.
int larder_compare_decimals(const char *left, int left_length, const char *right, int right_length);
int larder_register_decimal_collation(sqlite3 *db);

// MARK: - Exact sums (totals.c)

// All of them begin with zeros. Adding up goes through wider numbers than any value has, so that the order of the
// values decides nothing and only the result can be out of range.

typedef struct larder_integer_total {
  uint64_t low;
  int64_t high;
  int64_t count;
} larder_integer_total;

void larder_integer_total_add(larder_integer_total *total, int64_t value);
// Whether the sum is a 64-bit integer, which is then in `low`.
int larder_integer_total_fits(const larder_integer_total *total);
double larder_integer_total_double(const larder_integer_total *total);

// 32 bits each, for the 2,098 bits of a double's range and 63 more for the carries of as many values as there can be.
enum { LARDER_REAL_DIGITS = 70 };

typedef struct larder_real_total {
  int64_t digits[LARDER_REAL_DIGITS];
  uint32_t carries;
  uint8_t is_infinite;
  uint8_t is_minus_infinite;
  uint8_t is_nan;
} larder_real_total;

void larder_real_total_add(larder_real_total *total, double value);
// The double that is nearest to the exact sum; NaN where infinities of both signs were added.
double larder_real_total_value(const larder_real_total *total);

// Digits before and after the point; a Decimal has at most 166 and 128. Twenty more take the carries.
enum {
  LARDER_DECIMAL_LONGEST = 168,
  LARDER_DECIMAL_DIGITS = 2 * LARDER_DECIMAL_LONGEST + 20,
  LARDER_DECIMAL_TEXT = LARDER_DECIMAL_DIGITS + 2
};

typedef struct larder_decimal_total {
  int64_t digits[LARDER_DECIMAL_DIGITS];
  uint8_t is_unreadable;
} larder_decimal_total;

// 0 where the text is not of the form -?digits(.digits)?
int larder_decimal_total_add(larder_decimal_total *total, const char *text, int length);
// The sum in canonical form, without a NUL; returns its length, which is at most LARDER_DECIMAL_TEXT.
int larder_decimal_total_text(const larder_decimal_total *total, char *text);

// larder_total_integer (NULL where 64 bits are too few), larder_mean_integer (NULL of none), larder_total_real (NULL
// for NaN) and larder_total_decimal (NULL where a text is no number). NULLs are passed over. And larder_add_decimal of
// two texts, which fails as checked arithmetic does where a Decimal has too few digits for the sum.
int larder_register_totals(sqlite3 *db);

// MARK: - A fair queue (turnstile.c)

// A counting semaphore that lets callers through in the order of their arrival.
typedef struct larder_turnstile larder_turnstile;

larder_turnstile *larder_turnstile_create(int64_t permits);
void larder_turnstile_destroy(larder_turnstile *turnstile);
// 0 when a permit was got, 1 when the limit passed first. A negative limit waits for ever.
int larder_turnstile_enter(larder_turnstile *turnstile, int64_t limit_nanoseconds);
void larder_turnstile_leave(larder_turnstile *turnstile);
int64_t larder_turnstile_waiting(larder_turnstile *turnstile);

// MARK: - Other processes (processes.c)

// How many transactions the write-ahead log's index counts, a number that begins anew when the log is recovered. Reads
// shared memory, and nothing else. 0 where there is no such index.
int larder_commit_count(sqlite3 *db, uint32_t *count);

// What the write-ahead log's index says, of which any process may change it meanwhile.
typedef struct larder_log_state {
  // Raised by each transaction.
  uint32_t changes;
  // Frames of committed transactions, and how many of them are in the database.
  uint32_t frames;
  uint32_t moved;
  // How many a checkpoint has begun to move: other than `moved` while one is under way, or was broken off.
  uint32_t moving;
  // Others each time that the log begins anew.
  uint32_t salts[2];
  uint32_t page_size;
} larder_log_state;

// 0 where there is no such index.
int larder_read_log_state(sqlite3 *db, larder_log_state *state);
// Reads the beginning of the database's own file, and of its write-ahead log, by the descriptors that SQLite has. 0 where
// the file is shorter than that.
int larder_read_file_beginning(sqlite3 *db, void *bytes, int count);
int larder_read_log_beginning(sqlite3 *db, void *bytes, int count);

// The file beside a database by which processes tell each other of commits and queue for writing. Its locks belong to the
// descriptor, and end with the process.

// A descriptor, or -errno. The file gets the mode of the one that it lies beside.
int larder_meeting_open(const char *path, const char *beside, int create);
// Whether the file that a descriptor leads to still has a name.
int larder_meeting_is_linked(int descriptor);
// Begins or ends to be one of those who want to be told. 0 where that is not possible.
int larder_meeting_listen(int descriptor, int listens);
// Whether anybody but this descriptor wants to be told.
int larder_meeting_is_heard(int descriptor);
// Tells all who listen.
void larder_meeting_tell(int descriptor);
// 1 when it is this descriptor's turn to wait for the write lock, 0 when it is another's, -errno where there are no turns.
int larder_meeting_take_turn(int descriptor);
// Whether it is the turn of anybody but this descriptor.
int larder_meeting_is_turn_taken(int descriptor);
void larder_meeting_end_turn(int descriptor);

// A descriptor that becomes readable when somebody writes to the file, or takes it away; or -errno.
int larder_notice_open(const char *path);
void larder_notice_drain(int notices);

// MARK: - Files that only their owner may read (files.c)

// 0 created with mode 0600, 1 there was one already, else -errno. No descriptor of the file is ever closed after the
// file has its name: that would drop the locks which SQLite holds on it elsewhere in this process.
int larder_create_private_file(const char *path);
// Creates the missing folders above the file, mode 0700. 0 or -errno.
int larder_create_private_folders(const char *file_path);
// Locks a connection's file for it alone, without reading it as a transaction would: it may be no database any more.
// SQLITE_OK; SQLITE_BUSY where somebody uses it, as a connection in WAL mode does for as long as it is open; or the code of
// what failed. Of a file that may only be read, which cannot be locked so, it says SQLITE_OK. Does not wait. Close the
// connection to unlock it.
int larder_lock_alone(sqlite3 *db);

#ifdef __cplusplus
}
#endif
