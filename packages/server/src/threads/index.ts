// Starting the threads of the server.
export { startThread } from './start-thread.ts';
