// What a power cut could undo, file by file.
#pragma once
#include <stdint.h>

typedef enum { change_create, change_write, change_truncate, change_delete, change_replace } change_kind;

typedef struct change {
  change_kind kind;
  int64_t offset;
  int64_t length;
  // The file's length before, and the bytes that the change replaced or cut off.
  int64_t old_size;
  uint8_t *old_bytes;
  int64_t old_length;
  // Filled while an image is made: what the write brought.
  uint8_t *new_bytes;
} change;

typedef struct file_record {
  char *path;
  int exists;
  int is_database;
  int64_t size;
  change *changes;
  int64_t count, capacity;
  struct file_record *next;
} file_record;

file_record *record_for(file_record **first, const char *path);
void record_free_all(file_record **first);

// Room for one more change, or NULL when memory is short.
change *record_add(file_record *record, change_kind kind);
// The first one's file takes the second one's name. 0 when memory is short.
int record_rename(file_record *source, file_record *target);
void record_forget_changes(file_record *record);
// The folder was synced: creations and deletions last, and what was written before them is past. Writes after them stay.
void record_forget_names(file_record *record);

// Puts the file into a state that the disk may be in after a power cut. 0 or -errno.
int record_restore(file_record *record, uint64_t *random_state);

// The whole content of a file; *size is -1 when there is none.
uint8_t *read_whole_file(const char *path, int64_t *size);
