// The device of the tests: a server in a process of its own.
import { freePort } from '@telltale/stack-kit/testing';
import { OrderedProcess } from './ordered-process.ts';

export class UaDevice extends OrderedProcess {
  readonly port: number;

  /**
   * `options` are capabilities of the server; `isHidden`: nobody sees its endpoints without security;
   * `isMisnamed`: it calls itself something else than its certificate says.
   */
  static async start(options: Record<string, number | boolean> = {}): Promise<UaDevice> {
    return new UaDevice(await freePort(), options).ready();
  }

  private constructor(port: number, options: Record<string, number | boolean>) {
    super('device-main.ts', String(port), JSON.stringify(options));
    this.port = port;
  }

  /** The address of one of its nodes. */
  static address(name: string): string {
    return `ns=1;s=${name}`;
  }
}
