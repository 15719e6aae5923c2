// The stack of the server's own tests, as a server finds it in a folder.
export { default } from '../../../packages/server/test/stacks/bell.ts';
