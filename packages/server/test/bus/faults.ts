// What befalls the parts of a test of the bus: processes are killed or stand still, lines are cut in every way.
import type { Fault, FaultProxy } from '@telltale/stack-kit/testing';

export interface Mortal {
  kill(): unknown;
  again(): unknown;
  freeze(): unknown;
  thaw(): unknown;
}

/** What is struck together. */
export interface Struck {
  readonly processes: readonly Mortal[];
  readonly lines: readonly FaultProxy[];
}

export interface Befalls {
  begin(struck: Struck): Promise<unknown>;
  end(struck: Struck): Promise<unknown>;
}

const pass: Fault = { kind: 'pass' };
const discard: Fault = { kind: 'discard' };
const stall: Fault = { kind: 'stall' };
const delay: Fault = { kind: 'delay', ms: 300 };

export const faults: Readonly<Record<string, Befalls>> = {
  kill: onProcesses(
    (each) => each.kill(),
    (each) => each.again(),
  ),
  freeze: onProcesses(
    (each) => each.freeze(),
    (each) => each.thaw(),
  ),
  reset: onLines(
    (line) => line.reset(),
    (line) => line.reset(),
  ),
  refused: onLines(
    async (line) => {
      await line.refuse();
      line.reset();
    },
    (line) => line.listen(),
  ),
  'half-open': lineFault(discard, discard),
  deaf: lineFault(pass, discard),
  mute: lineFault(discard, pass),
  stalled: lineFault(stall, stall),
  slow: lineFault(delay, delay),
};

function onProcesses(begin: (each: Mortal) => unknown, end: (each: Mortal) => unknown): Befalls {
  return {
    begin: ({ processes }) => Promise.all(processes.map(begin)),
    end: ({ processes }) => Promise.all(processes.map(end)),
  };
}

function onLines(begin: (line: FaultProxy) => unknown, end: (line: FaultProxy) => unknown): Befalls {
  return { begin: ({ lines }) => Promise.all(lines.map(begin)), end: ({ lines }) => Promise.all(lines.map(end)) };
}

function lineFault(toDevice: Fault, toClient: Fault): Befalls {
  return onLines(
    (line) => line.setFaults({ toDevice, toClient }),
    (line) => line.setFaults({}),
  );
}
