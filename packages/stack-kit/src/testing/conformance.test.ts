// A sound stack passes the suite.
import { lineWorld } from '../../test/line-world.ts';
import { conformance } from './conformance.ts';

conformance('a sound stack', { connector: lineWorld() });
