// The connector of the simulator: so far without a device, and says so.
import { type Connector, type ConnectorOptions, Fatal } from '@telltale/stack-kit';

export function createConnector({ name }: ConnectorOptions<unknown>): Connector {
  const absent = async () => {
    throw new Fatal(`${name}: this simulator does not run yet`);
  };
  return { setPoints() {}, connect: absent, run: absent, write: absent, async close() {} };
}
