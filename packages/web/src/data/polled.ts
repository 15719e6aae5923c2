// Reads again and again what has no channel, as long as somebody sees the page.
import { link } from './service.ts';

/** At once, every so often, and when the page is seen again or the link is back. Until the returned function is called. */
export function poll(read: () => Promise<void>, everyMs: number): () => void {
  const readIfSeen = () => {
    if (!document.hidden) void read();
  };
  readIfSeen();
  const timer = setInterval(readIfSeen, everyMs);
  document.addEventListener('visibilitychange', readIfSeen);
  const stop = link.subscribe(({ state }) => {
    if (state === 'connected') void read();
  });
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', readIfSeen);
    stop();
  };
}
