// Names of the measurements that have a quality now, or are forced, kept up to date by the service: the page need not watch
// all points to know which are bad.
import { type ReadonlySignal, signal } from '@preact/signals';
import type { QualityWord } from '@telltale/schema';
import { channel } from './service.ts';

/** People read lists: rows that come and go more often help nobody. */
const flushMs = 500;
const retryMs = 2000;

export interface WatchedNames {
  /** Undefined until the service has answered. */
  readonly names: ReadonlySignal<ReadonlySet<string> | undefined>;
  readonly end: () => void;
}

export function watchNames(quality: QualityWord): WatchedNames {
  const names = signal<ReadonlySet<string> | undefined>(undefined);
  const end = new AbortController();
  const present = new Set<string>();
  let isFlushing = false;
  const flushSoon = () => {
    if (isFlushing) return;
    isFlushing = true;
    setTimeout(
      () => {
        isFlushing = false;
        if (!end.signal.aborted) names.value = new Set(present);
      },
      names.peek() === undefined ? 0 : flushMs,
    );
  };
  const follow = async () => {
    const watch = channel.watchMeasurements({ quality }, { signal: end.signal });
    // Where nothing matches, nothing comes: an answer to what was asked later says so.
    channel.request('Heartbeat', {}).then(flushSoon, () => undefined);
    present.clear();
    try {
      for await (const { updates } of watch) {
        let isOther = false;
        for (const { name, removed, left } of updates) {
          const isGone = removed === true || left === true;
          if (isGone ? present.delete(name) : !present.has(name)) isOther = true;
          if (!isGone) present.add(name);
        }
        if (isOther) flushSoon();
      }
    } catch {
      // The link says so; it is asked again.
    }
    if (!end.signal.aborted) setTimeout(() => void follow(), retryMs);
  };
  void follow();
  return { names, end: () => end.abort() };
}
