// A sound stack passes the suite.
import { lineConnectorWorld, lineProviderWorld } from '../../test/line-world.ts';
import { conformance } from './conformance.ts';

conformance('a sound stack', { connector: lineConnectorWorld(), provider: lineProviderWorld() });
