// Preloaded into a process, notes what it does to the files of one folder, so that everything that was not synced can be
// taken back afterwards, as a power cut does. undo.ts reads the notes.
//
//   POWER_CUT_FOLDER  the folder, as an absolute path
//   POWER_CUT_NOTES   another one on the same file system: `notes`, and what was unlinked or replaced
//
// A note: u8 what, u32 length of the path, path, u64 inode, u64 offset, u64 size before, u64 length, bytes before.
// What: c created, w written, t truncated, s synced, r renamed (the bytes are the new path), u unlinked, d folder synced.
// Of r and u the offset is the number under which what was there was saved, or 0.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *folder, *notes;
static int notes_fd = -1;
static uint64_t saved;

static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off64_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);
static ssize_t (*real_pwritev)(int, const struct iovec *, int, off64_t);
static int (*real_open)(const char *, int, ...);
static int (*real_ftruncate)(int, off64_t);
static int (*real_rename)(const char *, const char *);
static int (*real_unlink)(const char *);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);

__attribute__((constructor)) static void begin(void) {
  real_write = dlsym(RTLD_NEXT, "write");
  real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
  real_writev = dlsym(RTLD_NEXT, "writev");
  real_pwritev = dlsym(RTLD_NEXT, "pwritev64");
  real_open = dlsym(RTLD_NEXT, "open64");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
  real_rename = dlsym(RTLD_NEXT, "rename");
  real_unlink = dlsym(RTLD_NEXT, "unlink");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  folder = getenv("POWER_CUT_FOLDER");
  notes = getenv("POWER_CUT_NOTES");
  if (!folder || !notes) return;
  char path[4096];
  snprintf(path, sizeof path, "%s/notes", notes);
  notes_fd = real_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int is_watched(const char *path) {
  size_t length = folder ? strlen(folder) : 0;
  return notes_fd >= 0 && strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/** The path of an open file of the folder. */
static int path_of(int fd, char *path, size_t room) {
  if (notes_fd < 0 || fd == notes_fd) return 0;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, room - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return is_watched(path);
}

static void put(const void *bytes, size_t length) {
  while (length > 0) {
    ssize_t written = real_write(notes_fd, bytes, length);
    if (written < 0) abort();
    bytes = (const char *)bytes + written;
    length -= written;
  }
}

static void note(char what, const char *path, uint64_t inode, uint64_t offset, uint64_t before, const void *bytes,
                 uint64_t length) {
  uint32_t path_length = strlen(path);
  size_t total = 1 + 4 + path_length + 32 + length;
  char *all = malloc(total), *at = all;
  *at++ = what;
  memcpy(at, &path_length, 4), at += 4;
  memcpy(at, path, path_length), at += path_length;
  memcpy(at, &inode, 8), at += 8;
  memcpy(at, &offset, 8), at += 8;
  memcpy(at, &before, 8), at += 8;
  memcpy(at, &length, 8), at += 8;
  if (length > 0) memcpy(at, bytes, length);
  put(all, total);
  free(all);
}

/** What a change of a file from an offset on is about to overwrite. */
static void note_change(char what, int fd, const char *path, uint64_t offset, uint64_t length) {
  struct stat64 is;
  fstat64(fd, &is);
  uint64_t size = is.st_size;
  uint64_t old = offset >= size ? 0 : (length < size - offset ? length : size - offset);
  char *bytes = malloc(old + 1);
  char self[64];
  snprintf(self, sizeof self, "/proc/self/fd/%d", fd); // it may be open for writing alone
  int reading = real_open(self, O_RDONLY | O_CLOEXEC);
  if (old > 0 && (reading < 0 || pread64(reading, bytes, old, offset) != (ssize_t)old)) abort();
  if (reading >= 0) close(reading);
  note(what, path, is.st_ino, offset, size, bytes, old);
  free(bytes);
}

static uint64_t length_of(const struct iovec *parts, int count) {
  uint64_t length = 0;
  for (int at = 0; at < count; at++) length += parts[at].iov_len;
  return length;
}

/** Where a write without an offset goes. */
static uint64_t place_of(int fd) {
  struct stat64 is;
  if (fcntl(fd, F_GETFL) & O_APPEND) return fstat64(fd, &is) == 0 ? is.st_size : 0;
  return lseek64(fd, 0, SEEK_CUR);
}

#define CHANGING(fd, what, offset, length, real) \
  char path[4096];                               \
  if (!path_of(fd, path, sizeof path)) return real; \
  pthread_mutex_lock(&lock);                     \
  note_change(what, fd, path, offset, length);   \
  __auto_type result = real;                     \
  int error = errno;                             \
  pthread_mutex_unlock(&lock);                   \
  errno = error;                                 \
  return result;

ssize_t write(int fd, const void *bytes, size_t length) {
  CHANGING(fd, 'w', place_of(fd), length, real_write(fd, bytes, length))
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  CHANGING(fd, 'w', offset, length, real_pwrite(fd, bytes, length, offset))
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  CHANGING(fd, 'w', place_of(fd), length_of(parts, count), real_writev(fd, parts, count))
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off64_t offset) {
  CHANGING(fd, 'w', offset, length_of(parts, count), real_pwritev(fd, parts, count, offset))
}
int ftruncate64(int fd, off64_t size) { CHANGING(fd, 't', size, UINT64_MAX, real_ftruncate(fd, size)) }

static int synced(int fd, int (*real)(int)) {
  char path[4096];
  if (!path_of(fd, path, sizeof path)) return real(fd);
  pthread_mutex_lock(&lock);
  int result = real(fd), error = errno;
  struct stat64 is;
  fstat64(fd, &is);
  if (result == 0) note(S_ISDIR(is.st_mode) ? 'd' : 's', path, is.st_ino, 0, 0, "", 0);
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}
int fsync(int fd) { return synced(fd, real_fsync); }
int fdatasync(int fd) { return synced(fd, real_fdatasync); }

/** Keeps what the name stands for, under a number; 0 where it stands for nothing. */
static uint64_t save(const char *path) {
  char kept[4096];
  snprintf(kept, sizeof kept, "%s/saved-%llu", notes, (unsigned long long)(saved + 1));
  return link(path, kept) == 0 ? ++saved : 0;
}

static uint64_t inode_of(const char *path) {
  struct stat64 is;
  return lstat64(path, &is) == 0 ? is.st_ino : 0;
}

int rename(const char *from, const char *to) {
  if (!is_watched(from)) return real_rename(from, to);
  pthread_mutex_lock(&lock);
  note('r', from, inode_of(from), save(to), 0, to, strlen(to));
  int result = real_rename(from, to), error = errno;
  if (result != 0) abort();
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

int unlink(const char *path) {
  if (!is_watched(path) || inode_of(path) == 0) return real_unlink(path);
  pthread_mutex_lock(&lock);
  note('u', path, inode_of(path), save(path), 0, "", 0);
  int result = real_unlink(path), error = errno;
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

static int opened(const char *path, int flags, mode_t mode) {
  if (!is_watched(path) || (flags & O_ACCMODE) == O_RDONLY) return real_open(path, flags, mode);
  pthread_mutex_lock(&lock);
  int was_there = inode_of(path) != 0;
  if (was_there && (flags & O_TRUNC)) {
    int fd = real_open(path, O_RDWR | O_CLOEXEC);
    note_change('t', fd, path, 0, UINT64_MAX);
    close(fd);
  }
  int fd = real_open(path, flags, mode), error = errno;
  if (fd >= 0 && !was_there) note('c', path, inode_of(path), 0, 0, "", 0);
  pthread_mutex_unlock(&lock);
  errno = error;
  return fd;
}

static mode_t mode_of(int flags, va_list more) { return flags & O_CREAT ? va_arg(more, mode_t) : 0; }

int open64(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = mode_of(flags, more);
  va_end(more);
  return opened(path, flags, mode);
}
int open(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = mode_of(flags, more);
  va_end(more);
  return opened(path, flags, mode);
}
