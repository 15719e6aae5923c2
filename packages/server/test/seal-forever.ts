// Seals what comes to a store, in small pieces, again and again, and prints a line for each. Killed by whoever runs it:
// `node seal-forever.ts ADDRESS`.
import { writeSync } from 'node:fs';
import { systemClock } from '@telltale/schema';
import { Sealing } from '../src/store/postgres/seal/sealing.ts';

const address = process.argv[2] as string;
const limits = { bytes: 4096, unpackedBytes: 2 ** 20, records: 500 };
const onState = ({ parcels }: { readonly parcels: number }) => writeSync(1, `${parcels}\n`);
new Sealing({ address, clock: systemClock, everyMs: 1, limits, onState }).start();
