// The changes of keys, as a member of etcd tells them: a stream of lines of JSON. It may fall silent without an end, where a
// connection is half open: who needs to know asks beside it.
import type { IncomingMessage } from 'node:http';
import { EtcdSilence, refusalOf } from './etcd-errors.ts';
import { type Entry, entryOf, type RawEntry } from './etcd-kv.ts';

export interface Change {
  readonly key: string;
  readonly revision: number;
  /** Undefined: the key is gone. */
  readonly entry: Entry | undefined;
}

/** All changes of one revision or several, whole. */
export interface Changes {
  readonly changes: readonly Change[];
}

interface Line {
  readonly result?: {
    readonly canceled?: boolean;
    readonly compact_revision?: string;
    readonly cancel_reason?: string;
    readonly events?: readonly { readonly type?: string; readonly kv: RawEntry }[];
  };
  readonly error?: { readonly message?: string };
}

/** Ends by a throw alone. The first item, without changes, says that the watch is there. */
export async function* readWatch(response: IncomingMessage): AsyncGenerator<Changes, never> {
  for await (const line of linesOf(response)) {
    const { result, error } = JSON.parse(line) as Line;
    if (result === undefined) throw new EtcdSilence(error?.message ?? 'has ended the watch');
    if (result.compact_revision !== undefined) throw refusalOf('required revision has been compacted');
    if (result.canceled) throw refusalOf(result.cancel_reason ?? 'has ended the watch');
    const changes = (result.events ?? []).map(({ type, kv }) => {
      const entry = entryOf(kv);
      return { key: entry.key, revision: entry.modRevision, entry: type === 'DELETE' ? undefined : entry };
    });
    yield { changes };
  }
  throw new EtcdSilence('has ended the watch');
}

async function* linesOf(response: IncomingMessage): AsyncGenerator<string> {
  let parts: string[] = [];
  for await (const chunk of response.setEncoding('utf8')) {
    const [first = '', ...others] = (chunk as string).split('\n');
    parts.push(first);
    for (const next of others) {
      const line = parts.join('');
      parts = [next];
      if (line !== '') yield line;
    }
  }
}
