// Starting the server's threads, and speaking with them.
export { DiskRetry } from './disk-retry.ts';
export { HeldDeadline, LeaseDeadline } from './lease-deadline.ts';
export { type Handlers, Link, Moved, type Port } from './link.ts';
export { ownBuffers, release } from './own-buffers.ts';
export { startThread } from './start-thread.ts';
export { messagePort, parentLink } from './thread-link.ts';
export { threadPort, WorkerLink, type WorkerPort } from './worker-link.ts';
