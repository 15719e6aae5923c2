// The stacks of a thread, from their modules. One that cannot be loaded is reported when it is used; the others run.
import type { Clock } from '@telltale/schema';
import { isStack, type Stack } from '@telltale/stack-kit';
import { reasonOf } from '@telltale/stack-kit/host';

/** A module that waits for something while it is loaded gets this long. */
const importMs = 10_000;

/** Rejects where there is no stack of that name, with what is known of the reason. */
export type FindStack = (name: string) => Promise<Stack>;

export function loadStacks(modules: readonly string[], clock: Clock): FindStack {
  const loading = modules.map((url) => loadOne(url, clock));
  return async (name) => {
    const named = loading.map(async (each) => {
      const stack = await each;
      if (typeof stack !== 'string' && stack.name === name) return stack;
      throw undefined;
    });
    // As soon as it is there: a module that is slow to load holds up its own stack alone.
    const stack = await Promise.any(named).catch(() => undefined);
    if (stack !== undefined) return stack;
    const faults = (await Promise.all(loading)).filter((each) => typeof each === 'string');
    throw new Error([`there is no stack ${name}`, ...faults].join('; '));
  };
}

/** The stack, or what is wrong with it. */
async function loadOne(url: string, clock: Clock): Promise<Stack | string> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const cancel = clock.after(importMs, () => reject(new Error(`it is not loaded after ${importMs} ms`)));
  try {
    const { default: stack } = (await Promise.race([import(url), late])) as { default?: unknown };
    return isStack(stack) ? stack : `${url} does not export a stack as its default`;
  } catch (error) {
    return `${url} cannot be loaded: ${reasonOf(error)}`;
  } finally {
    cancel();
  }
}
