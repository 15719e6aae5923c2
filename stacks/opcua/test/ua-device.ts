// The device of the tests: a server in a process of its own.
import { freePort } from '@telltale/stack-kit/testing';
import { OrderedProcess } from './ordered-process.ts';

export class UaDevice extends OrderedProcess {
  readonly port: number;

  /** `limits` are capabilities of the server. */
  static async start(limits: Record<string, number> = {}): Promise<UaDevice> {
    return new UaDevice(await freePort(), limits).ready();
  }

  private constructor(port: number, limits: Record<string, number>) {
    super('device-main.ts', String(port), JSON.stringify(limits));
    this.port = port;
  }

  /** The address of one of its nodes. */
  static address(name: string): string {
    return `ns=1;s=${name}`;
  }
}
