// How a measurement came to be what it is, for people who ask: what each stage of the chain is set to, and what it holds.
import type { Datatype, Simulation, StoredValue } from '@telltale/schema';
import type { LinkRole } from './links.ts';
import type { Reading } from './reading.ts';
import type { Scaling } from './scaling.ts';

/** The watchdog of a connector, where the device drives it. */
export interface WatchdogView {
  readonly name: string;
  readonly isHealthy: boolean;
}

export interface ChainView {
  readonly datatype: Datatype;
  readonly rawDatatype: Datatype;
  readonly connector: string | undefined;
  /** Of the connector; undefined where the device does not drive it. */
  readonly watchdog: WatchdogView | undefined;
  /** Whether it turns bad with the link of its connector, and with the watchdog. */
  readonly isLinked: boolean;
  readonly held: Reading | undefined;
  /** The connector or provider whose link it reports: the service drives it. */
  readonly reports: { readonly role: LinkRole; readonly name: string } | undefined;
  readonly scaling: Scaling | undefined;
  readonly isDeduplicated: boolean;
  readonly deadband: number | bigint | undefined;
  /** What the chain gave last, whether a simulation stands before it or not. */
  readonly device: Reading & { readonly value: StoredValue };
  readonly simulation: Simulation | undefined;
}
