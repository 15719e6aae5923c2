// The WebSocket channel of version 1.
export { ChannelRequests } from './channel-requests.ts';
export { ChannelServer } from './channel-server.ts';
export { Watches } from './watches.ts';
