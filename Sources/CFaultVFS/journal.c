#define _GNU_SOURCE
#include "journal.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The unit that a disk writes whole or not at all.
static const int64_t sector = 512;

// MARK: - Records

file_record *record_for(file_record **first, const char *path) {
  for (file_record *record = *first; record != NULL; record = record->next) {
    if (strcmp(record->path, path) == 0) return record;
  }
  file_record *record = calloc(1, sizeof(file_record));
  if (record == NULL) return NULL;
  record->path = strdup(path);
  record->next = *first;
  *first = record;
  return record;
}

static void forget_first(file_record *record, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    free(record->changes[i].old_bytes);
    free(record->changes[i].new_bytes);
  }
  record->count -= count;
  if (record->count > 0) memmove(record->changes, record->changes + count, (size_t)record->count * sizeof(change));
}

void record_forget_changes(file_record *record) { forget_first(record, record->count); }

void record_forget_names(file_record *record) {
  int64_t past = 0;
  for (int64_t i = 0; i < record->count; i++) {
    change_kind kind = record->changes[i].kind;
    if (kind == change_create || kind == change_delete || kind == change_replace) past = i + 1;
  }
  forget_first(record, past);
}

void record_free_all(file_record **first) {
  while (*first != NULL) {
    file_record *record = *first;
    *first = record->next;
    record_forget_changes(record);
    free(record->changes);
    free(record->path);
    free(record);
  }
}

change *record_add(file_record *record, change_kind kind) {
  if (record->count == record->capacity) {
    int64_t capacity = record->capacity == 0 ? 16 : record->capacity * 2;
    change *grown = realloc(record->changes, (size_t)capacity * sizeof(change));
    if (grown == NULL) return NULL;
    record->changes = grown;
    record->capacity = capacity;
  }
  change *added = &record->changes[record->count++];
  memset(added, 0, sizeof(change));
  added->kind = kind;
  added->old_size = record->size;
  return added;
}

// MARK: - Whole files

uint8_t *read_whole_file(const char *path, int64_t *size) {
  *size = -1;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return NULL;
  struct stat status;
  uint8_t *bytes = NULL;
  if (fstat(descriptor, &status) == 0 && (bytes = malloc((size_t)status.st_size + 1)) != NULL) {
    int64_t got = 0;
    while (got < status.st_size) {
      ssize_t count = read(descriptor, bytes + got, (size_t)(status.st_size - got));
      if (count <= 0) break;
      got += count;
    }
    *size = got;
  }
  close(descriptor);
  return bytes;
}

int record_rename(file_record *source, file_record *target) {
  // What was there is taken for synced.
  record_forget_changes(target);
  change *replaced = record_add(target, change_replace);
  if (replaced == NULL) return 0;
  replaced->old_bytes = read_whole_file(target->path, &replaced->old_length);
  for (int64_t i = 0; i < source->count; i++) {
    change *moved = record_add(target, source->changes[i].kind);
    if (moved == NULL) return 0;
    *moved = source->changes[i];
    // By its new name it is there as soon as that is.
    if (moved->kind == change_create) moved->kind = change_truncate;
  }
  target->exists = 1;
  target->size = source->size;
  target->is_database = source->is_database;
  source->count = 0;
  source->exists = 0;
  source->size = 0;
  return 1;
}

// Under another inode, so that the locks of connections which died with the power are no longer in the way.
static int replace_file(const char *path, const uint8_t *bytes, int64_t size) {
  struct stat status;
  mode_t mode = stat(path, &status) == 0 ? status.st_mode & 0777 : 0600;
  char *draft = NULL;
  if (asprintf(&draft, "%s-restored", path) < 0) return -ENOMEM;
  int result = 0;
  int descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (descriptor < 0) result = -errno;
  for (int64_t done = 0; result == 0 && done < size;) {
    ssize_t count = write(descriptor, bytes + done, (size_t)(size - done));
    if (count < 0) result = -errno;
    else done += count;
  }
  if (descriptor >= 0) close(descriptor);
  if (result == 0 && rename(draft, path) != 0) result = -errno;
  free(draft);
  return result;
}

// MARK: - An image of the file in memory

typedef struct image {
  int exists;
  uint8_t *bytes;
  int64_t size, capacity;
} image;

static int resize(image *image, int64_t size) {
  if (size > image->capacity) {
    uint8_t *grown = realloc(image->bytes, (size_t)size * 2);
    if (grown == NULL) return 0;
    image->bytes = grown;
    image->capacity = size * 2;
  }
  // What a file gains without a write is zeros.
  if (size > image->size) memset(image->bytes + image->size, 0, (size_t)(size - image->size));
  image->size = size;
  return 1;
}

static int put(image *image, int64_t offset, const uint8_t *bytes, int64_t length) {
  if (length <= 0) return 1;
  if (offset + length > image->size && !resize(image, offset + length)) return 0;
  memcpy(image->bytes + offset, bytes, (size_t)length);
  return 1;
}

// Back to what the disk surely has, noting what each write brought.
static int undo(image *image, change *change) {
  switch (change->kind) {
    case change_create:
      image->exists = 0;
      return resize(image, 0);
    case change_delete:
      image->exists = 1;
      return resize(image, 0) && put(image, 0, change->old_bytes, change->old_length);
    case change_replace:
      // What the disk surely has of the new file.
      change->length = image->size;
      change->new_bytes = malloc((size_t)image->size + 1);
      if (change->new_bytes == NULL) return 0;
      if (image->size > 0) memcpy(change->new_bytes, image->bytes, (size_t)image->size);
      image->exists = change->old_length >= 0;
      return resize(image, 0) && put(image, 0, change->old_bytes, change->old_length);
    case change_truncate:
      return resize(image, change->old_size) && put(image, change->offset, change->old_bytes, change->old_length);
    case change_write: break;
  }
  int64_t there = image->size - change->offset;
  if (there < change->length) change->length = there < 0 ? 0 : there;
  change->new_bytes = malloc((size_t)change->length + 1);
  if (change->new_bytes == NULL) return 0;
  if (change->length > 0) memcpy(change->new_bytes, image->bytes + change->offset, (size_t)change->length);
  return put(image, change->offset, change->old_bytes, change->old_length) && resize(image, change->old_size);
}

// MARK: - What the disk kept

static uint64_t next_random(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// How a disk may behave; drawn for each file.
typedef enum { keep_nothing, keep_all, keep_beginning, keep_some, keep_some_sectors, disk_count } disk;
typedef enum { lost, kept, torn } fate;

static fate draw(disk disk, int64_t position, int64_t last, uint64_t *random) {
  switch (disk) {
    case keep_nothing: return lost;
    case keep_all: return kept;
    case keep_beginning: return position < last ? kept : position == last ? torn : lost;
    case keep_some: return (fate)(next_random(random) % 3);
    default: return torn;
  }
}

static int redo_write(image *image, const change *change, fate fate, uint64_t *random) {
  if (fate == lost) return 1;
  int64_t end = change->offset + change->length;
  for (int64_t at = change->offset; at < end;) {
    int64_t next = (at / sector + 1) * sector;
    if (next > end) next = end;
    int keep = fate == kept || next_random(random) & 1;
    if (keep && !put(image, at, change->new_bytes + (at - change->offset), next - at)) return 0;
    at = next;
  }
  return 1;
}

static int redo(image *image, file_record *record, uint64_t *random) {
  disk disk = next_random(random) % disk_count;
  int64_t last = record->count > 0 ? (int64_t)(next_random(random) % (uint64_t)record->count) : 0;
  for (int64_t i = 0; i < record->count; i++) {
    const change *change = &record->changes[i];
    fate fate = draw(disk, i, last, random);
    // A truncation or a name is there or not.
    if (change->kind != change_write && fate == torn) fate = next_random(random) & 1 ? kept : lost;
    switch (change->kind) {
      case change_write:
        if (!redo_write(image, change, fate, random)) return 0;
        break;
      case change_truncate:
        if (fate == kept && !resize(image, change->offset)) return 0;
        break;
      case change_replace:
        if (fate == lost) return 1;
        image->exists = 1;
        if (!resize(image, 0) || !put(image, 0, change->new_bytes, change->length)) return 0;
        break;
      case change_create:
      case change_delete:
        // Names change in order: what follows a lost one happened to a file that nobody will find.
        if (fate == lost) return 1;
        image->exists = change->kind == change_create;
        if (!resize(image, 0)) return 0;
    }
  }
  return 1;
}

int record_restore(file_record *record, uint64_t *random) {
  image image = {0};
  image.bytes = read_whole_file(record->path, &image.size);
  image.exists = image.size >= 0;
  if (image.size < 0) image.size = 0;
  image.capacity = image.size;
  int result = 0;
  for (int64_t i = record->count - 1; i >= 0 && result == 0; i--) {
    if (!undo(&image, &record->changes[i])) result = -ENOMEM;
  }
  if (result == 0 && !redo(&image, record, random)) result = -ENOMEM;
  if (result == 0) {
    if (image.exists) result = replace_file(record->path, image.bytes, image.size);
    else if (unlink(record->path) != 0 && errno != ENOENT) result = -errno;
  }
  record_forget_changes(record);
  record->exists = image.exists;
  record->size = image.size;
  free(image.bytes);
  return result;
}
