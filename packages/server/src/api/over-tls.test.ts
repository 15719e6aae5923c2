// What the HTTP server promises over TCP, it promises over TLS.
import { describe } from 'node:test';
import { speakTls } from '../../../../test/over-tls.ts';

speakTls();

describe('over TLS', async () => {
  await import('./http-server.test.ts');
  await import('./connections.test.ts');
  await import('./connections-closed.test.ts');
});
