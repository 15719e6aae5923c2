// Connections to a bus of a test, and what is asked of them.
import { systemClock } from '@telltale/schema';
import { until } from '@telltale/stack-kit/testing';
import { cleanupOf, type Scope } from '@telltale/stack-kit/testing/cleanup';
import { BusConnection, type BusOptions, parseBusAddress } from '../src/bus/index.ts';

export interface PeerOptions extends Partial<Omit<BusOptions, 'address'>> {
  /** As the setting has it. */
  readonly url: string;
}

/** Started, and stopped with the scope. */
export function startBus(scope: Scope, { url, ...options }: PeerOptions): BusConnection {
  const { name = 'peer', inbox = `inbox.${name}` } = options;
  const bus = new BusConnection({ clock: systemClock, ...options, address: parseBusAddress(url), name, inbox });
  bus.start();
  cleanupOf(scope).defer(() => bus.stop());
  return bus;
}

/** The same, connected. */
export async function connectBus(scope: Scope, options: PeerOptions): Promise<BusConnection> {
  const bus = startBus(scope, options);
  await untilUp(bus);
  return bus;
}

export async function untilUp(bus: BusConnection): Promise<void> {
  await until('it is connected to the bus', () => bus.state.isUp);
}

export async function untilDown(bus: BusConnection): Promise<void> {
  await until('the loss of the bus is noticed', () => !bus.state.isUp);
}

/** What it says while it is not connected. */
export async function untilSaid(bus: BusConnection, what: RegExp): Promise<void> {
  await until(
    `the connection says ${what}, and not: ${bus.state.text}`,
    () => !bus.state.isUp && what.test(bus.state.text),
  );
}
