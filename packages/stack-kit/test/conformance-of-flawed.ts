// Run by `node --test` as a child: holds the connector with the flaw that the environment names to the suite.
import { conformance } from '../src/testing/index.ts';
import { flaws } from './flawed-line-connectors.ts';
import { lineWorld } from './line-world.ts';

conformance('a flawed stack', { connector: lineWorld(flaws[process.env.LINE_FLAW ?? '']?.make) });
