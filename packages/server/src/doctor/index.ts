// What people get wrong on the machine of a server.
export { examine } from './doctor.ts';
export { thisMachine } from './machine.ts';
