// How a provider serves its clients, so that none of them keeps others waiting.
export * from './datagrams.ts';
export * from './served-clients.ts';
export * from './served-messages.ts';
export * from './served-socket.ts';
export * from './served-stream.ts';
export * from './serving-turns.ts';
export * from './serving-variables.ts';
