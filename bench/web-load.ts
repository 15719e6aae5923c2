// The page: how much of it is loaded first and in all, and what it costs the main thread of a browser until it is live,
// against the sign-in page of the same server, which is hardly more than its text.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import type { Browser } from 'playwright-core';
import { chromiumPath, openPage, startBrowser } from '../test/browser.ts';
import { startServer } from '../test/server-process.ts';
import { atMost, type Benchmark, type Result, takeTurns } from './measure.ts';

const firstKb = 90;
const allKb = 200;
const readyMs = 250;
const cache = fileURLToPath(new URL('../node_modules/.cache/telltale', import.meta.url));

export const webLoad: Benchmark = {
  name: 'web-load',
  title: 'The page: its size, and what it costs until it is live',
  async run(say, { quick }) {
    if (chromiumPath === undefined) {
      say('there is no Chromium: left out');
      return [];
    }
    await using cleanup = new AsyncDisposableStack();
    const server = await startServer(cleanup, { data: temporaryFolder(cleanup), args: ['--demo'] });
    const browser = await startBrowser(cleanup);
    const loaded: number[] = [];
    const page = async () => {
      const { bytes, busyMs } = await open(browser, `${server.url}/`, '● Live');
      loaded.push(bytes);
      return busyMs;
    };
    const peer = async () => (await open(browser, `${server.url}/access/sign-in`, 'Sign in')).busyMs;
    const [pageMs = 0, peerMs = 1] = await takeTurns(quick ? 3 : 9, page, peer);
    const first = Math.max(...loaded) / 1000;
    say(`${first.toFixed(1)} kB; ${pageMs.toFixed(0)} ms of the main thread; the sign-in page ${peerMs.toFixed(0)} ms`);
    const results: Result[] = [
      atMost('kB loaded first, compressed', first, firstKb),
      atMost('kB of everything, compressed', bytesOfAll() / 1000, allKb),
      atMost('ms of the main thread until the page is live', pageMs, readyMs),
      { what: 'the same / the sign-in page', figure: (pageMs / peerMs).toFixed(1) },
    ];
    return results;
  },
};

/** Until this text is there. */
async function open(browser: Browser, url: string, text: string): Promise<{ bytes: number; busyMs: number }> {
  await using scope = new AsyncDisposableStack();
  const page = await openPage(browser, { scope });
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  // What the thread has computed, not how long it had to wait for a core.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.goto(url);
  await page.getByText(text).first().waitFor();
  const { metrics } = await session.send('Performance.getMetrics');
  return { bytes, busyMs: (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000 };
}

/** Of the newest build, as brotli. */
function bytesOfAll(): number {
  const builds = readdirSync(cache).filter((name) => name.startsWith('page-'));
  const [newest = ''] = builds.sort((a, b) => statSync(join(cache, b)).mtimeMs - statSync(join(cache, a)).mtimeMs);
  const files = readdirSync(join(cache, newest), { recursive: true }).map((name) => join(cache, newest, String(name)));
  return files.filter((name) => name.endsWith('.br')).reduce((sum, name) => sum + statSync(name).size, 0);
}
