// Writes the bill of materials of what is shipped to the file that is named, otherwise into dist/.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { billOfMaterials, type LockedPackages } from './bill-of-materials.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const [, , path = `${root}dist/telltale.cdx.json`] = process.argv;
const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')) as { packages: LockedPackages };
const bill = billOfMaterials(packages, randomUUID(), new Date());
mkdirSync(dirname(resolve(path)), { recursive: true });
writeFileSync(path, `${JSON.stringify(bill, null, 2)}\n`);
process.stdout.write(`${path}: ${bill.components.length} components\n`);
