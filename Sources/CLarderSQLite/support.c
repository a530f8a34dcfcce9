#define _GNU_SOURCE
#include "CLarderSQLite.h"
#include <sqlite3.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

int larder_db_config_flag(sqlite3 *db, int setting, int value) { return sqlite3_db_config(db, setting, value, NULL); }

int larder_bind_text_copy(sqlite3_stmt *statement, int index, const char *text, uint64_t length) {
  return sqlite3_bind_text64(statement, index, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

int larder_bind_blob_copy(sqlite3_stmt *statement, int index, const void *bytes, uint64_t length) {
  return sqlite3_bind_blob64(statement, index, bytes, length, SQLITE_TRANSIENT);
}

void larder_result_text_copy(sqlite3_context *context, const char *text, uint64_t length) {
  sqlite3_result_text64(context, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

void larder_result_blob_copy(sqlite3_context *context, const void *bytes, uint64_t length) {
  sqlite3_result_blob64(context, bytes, length, SQLITE_TRANSIENT);
}

uint64_t larder_thread_identifier(void) { return (uint64_t)(uintptr_t)pthread_self(); }

int64_t larder_monotonic_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static uint64_t next_random(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static int wait_for_lock(void *context, int attempt) {
  larder_busy_policy *policy = context;
  int64_t now = larder_monotonic_nanoseconds();
  if (attempt == 0) policy->started_nanoseconds = now;
  int64_t left = policy->limit_nanoseconds - (now - policy->started_nanoseconds);
  if (left <= 0) return 0;
  // The pause doubles from 0.25 ms; half of it is random, so that two waiting processes do not keep step.
  int64_t pause = 250;
  for (int i = 0; i < attempt && pause < policy->longest_pause_microseconds; i++) pause *= 2;
  if (pause > policy->longest_pause_microseconds) pause = policy->longest_pause_microseconds;
  int64_t nanoseconds = (pause / 2 + (int64_t)(next_random(&policy->random_state) % (uint64_t)(pause / 2 + 1))) * 1000;
  if (nanoseconds > left) nanoseconds = left;
  struct timespec rest = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  while (nanosleep(&rest, &rest) == -1 && errno == EINTR) {
  }
  policy->waits++;
  return 1;
}

int larder_install_busy_policy(sqlite3 *db, larder_busy_policy *policy) {
  policy->random_state ^= (uint64_t)larder_monotonic_nanoseconds() ^ (uint64_t)(uintptr_t)db;
  return sqlite3_busy_handler(db, wait_for_lock, policy);
}

static int refuse_unasked_commit(void *context) {
  larder_transaction_watch *watch = context;
  return watch->guarding && !watch->committing;
}

static void note_rollback(void *context) { ((larder_transaction_watch *)context)->rollbacks++; }

static int note_wal(void *context, sqlite3 *db, const char *schema, int frames) {
  larder_transaction_watch *watch = context;
  watch->wal_frames = frames;
  watch->wal_commits++;
  // As SQLite's own automatic checkpoint does, which this hook displaces: its failure is not the commit's.
  if (watch->checkpoint_frames <= 0) return SQLITE_OK;
  if (frames < watch->checkpoint_frames) {
    watch->next_checkpoint = 0;
  } else if (frames >= watch->next_checkpoint) {
    sqlite3_wal_checkpoint_v2(db, schema, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    // Where somebody's snapshot keeps the log from beginning anew, not every commit is to wait for the disk for that.
    watch->next_checkpoint = frames + watch->checkpoint_frames / 4;
  }
  return SQLITE_OK;
}

void larder_install_transaction_watch(sqlite3 *db, larder_transaction_watch *watch) {
  sqlite3_commit_hook(db, refuse_unasked_commit, watch);
  sqlite3_rollback_hook(db, note_rollback, watch);
}

void larder_install_wal_watch(sqlite3 *db, larder_transaction_watch *watch) { sqlite3_wal_hook(db, note_wal, watch); }
