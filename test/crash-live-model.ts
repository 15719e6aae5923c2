// What a server must show after a restart of what is live: of each command, alarm, simulation and link the last state that was
// acknowledged, or one of those that were asked for and never answered. It knows nothing of how the server does it.
import type { AlarmOperation, AlarmState } from '@telltale/schema';
import type { SeededRandom } from './seeded-random.ts';

/** One thing that can be written; one request about it is under way at a time. */
export interface LiveThing {
  readonly kind: 'command' | 'alarm' | 'simulation' | 'link';
  readonly name: string;
  /** Whether its writes go to the device. */
  readonly isOnDevice: boolean;
  /** What reads must show, as text. */
  shown: string;
  /** What the request without an answer would make of it. */
  maybe: string | undefined;
  isBusy: boolean;
}

export interface LiveRequest {
  readonly thing: LiveThing;
  /** Whether it must be refused; the thing stays as it is then. */
  readonly isBad: boolean;
  /** What reads show when it has happened. */
  readonly becomes: string;
  readonly http: { readonly method: string; readonly path: string };
  readonly channel: Readonly<Record<string, unknown>>;
}

export const isSimulated = 0x8000;
export const inService = 'in service';
const [good, uncertain] = [0xc0, 0x44];
/** The device says no to values from here on. */
const refusedFrom = 1_000_000_000;

const transitions: Record<AlarmOperation, Partial<Record<AlarmState, AlarmState>>> = {
  activate: { INACT_ACK: 'ACT_UNACK', INACT_UNACK: 'ACT_UNACK' },
  deactivate: { ACT_UNACK: 'INACT_UNACK', ACT_ACK: 'INACT_ACK' },
  acknowledge: { ACT_UNACK: 'ACT_ACK', INACT_UNACK: 'INACT_ACK' },
};

export function thing(kind: LiveThing['kind'], name: string, isOnDevice: boolean, shown: string): LiveThing {
  return { kind, name, isOnDevice, shown, maybe: undefined, isBusy: false };
}

/** Why the device does not accept a write, which is `name=value`. */
export function refusal(write: string): string | undefined {
  return Number(write.split('=')[1]) >= refusedFrom ? 'too much' : undefined;
}

/** Makes requests whose values are never used twice. */
export class LiveRequestMaker {
  readonly #random: SeededRandom;
  #number = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  make(thing: LiveThing): LiveRequest {
    if (thing.kind === 'command') return this.#write(thing);
    if (thing.kind === 'alarm') return this.#operate(thing);
    return thing.kind === 'link' ? this.#disable(thing) : this.#simulate(thing);
  }

  #write(thing: LiveThing): LiveRequest {
    const number = ++this.#number;
    const fault = this.#random.weighted({ none: 8, type: 1, device: thing.isOnDevice ? 1 : 0 });
    const value = fault === 'type' ? `d${number}` : `i${fault === 'device' ? number + refusedFrom : number}`;
    const { name } = thing;
    return {
      thing,
      isBad: fault !== 'none',
      becomes: value,
      http: { method: 'PUT', path: `/commands/${name}?value=${value}` },
      channel: { request: 'WriteCommands', writes: [{ name, value }] },
    };
  }

  #operate(thing: LiveThing): LiveRequest {
    const { name } = thing;
    const [state = ''] = thing.shown.split(' ');
    const opcode = this.#random.pick(['activate', 'deactivate', 'acknowledge'] as const);
    const next = transitions[opcode][state as AlarmState];
    const authority = `operator ${++this.#number}`;
    return {
      thing,
      isBad: false,
      becomes: next === undefined ? thing.shown : `${next} ${authority}`,
      http: { method: 'POST', path: `/alarms/${name}/${opcode}?authority=${encodeURIComponent(authority)}` },
      channel: { request: 'OperateAlarms', operations: [{ name, opcode }], authority },
    };
  }

  #disable(thing: LiveThing): LiveRequest {
    const { name } = thing;
    const opcode = this.#random.pick(['disable', 'disable', 'enable'] as const);
    const authority = `operator ${++this.#number}`;
    const disabled = thing.shown === inService ? `disabled by ${authority}` : thing.shown;
    const query = opcode === 'disable' ? `?authority=${encodeURIComponent(authority)}` : '';
    return {
      thing,
      isBad: false,
      becomes: opcode === 'disable' ? disabled : inService,
      http: { method: 'POST', path: `/connectors/${name}/${opcode}${query}` },
      channel: { request: 'OperateConnectors', operations: [{ name, opcode }], authority },
    };
  }

  #simulate(thing: LiveThing): LiveRequest {
    const { name } = thing;
    const what = this.#random.weighted({ force: 5, stop: 3, type: 1 });
    if (what === 'stop') {
      return {
        thing,
        isBad: false,
        becomes: 'none',
        http: { method: 'DELETE', path: `/measurements/${name}` },
        channel: { request: 'StopSimulation', measurements: [name] },
      };
    }
    const value = `${what === 'type' ? 'i' : 'd'}${++this.#number}`;
    const quality = this.#random.pick([good, uncertain]);
    const isShort = this.#random.chance(0.3);
    return {
      thing,
      isBad: what === 'type',
      becomes: `${value} ${quality | isSimulated}`,
      http: {
        method: 'PUT',
        path: `/measurements/${name}?value=${value}&quality=${quality}${isShort ? '&valid-for=3600' : ''}`,
      },
      channel: {
        request: 'SimulateMeasurements',
        simulations: [{ name, value, quality, ...(isShort && { 'valid-for': 3600 }) }],
      },
    };
  }
}
