// The states of connectors, providers and function modules, pushed by the service: each change of a state is there at once.
import { type ReadonlySignal, signal } from '@preact/signals';
import type { FunctionModuleStatus, InstanceState } from '@telltale/schema';
import { fromTimestamp } from '@telltale/schema/values';
import { channel } from './service.ts';
import { soon } from './soon.ts';

interface StateOf {
  readonly connector: InstanceState;
  readonly provider: InstanceState;
  readonly module: FunctionModuleStatus;
}

export interface WatchedStates<Kind extends keyof StateOf> {
  /** By name; a new map whenever one has changed. */
  readonly states: ReadonlySignal<ReadonlyMap<string, StateOf[Kind]>>;
  readonly end: () => void;
}

/** A flood of changes is shown so often. */
const flushMs = 200;
const retryMs = 2000;

const watches = {
  connector: (signal: AbortSignal) => channel.watchConnectors('all', { signal }),
  provider: (signal: AbortSignal) => channel.watchProviders('all', { signal }),
  module: (signal: AbortSignal) => channel.watchFunctionModules('all', { signal }),
};

/** Until `end` is called. */
export function watchStates<Kind extends keyof StateOf>(kind: Kind): WatchedStates<Kind> {
  type State = StateOf[Kind];
  const states = signal<ReadonlyMap<string, State>>(new Map());
  const end = new AbortController();
  const present = new Map<string, State>();
  const flushSoon = soon(() => {
    if (!end.signal.aborted) states.value = new Map(present);
  }, flushMs);
  const follow = async () => {
    try {
      for await (const { updates, resumed } of watches[kind](end.signal)) {
        if (resumed) present.clear();
        for (const update of updates) {
          if (update.removed === true) present.delete(update.name);
          else present.set(update.name, update as State);
        }
        flushSoon();
      }
    } catch {
      // The link says so; it is asked again.
    }
    if (!end.signal.aborted) setTimeout(() => void follow(), retryMs);
  };
  void follow();
  return { states, end: () => end.abort() };
}

/** What was read, with the state that was pushed: the newer one of both. */
export function withState<Item extends Since>(item: Item, pushed: Since | undefined): Item {
  return pushed === undefined || fromTimestamp(pushed.since) < fromTimestamp(item.since)
    ? item
    : { ...item, ...pushed };
}

type Since = Pick<InstanceState, 'since'>;
