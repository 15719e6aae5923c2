// Makes `node_modules/.bin/node`, by which npm runs the project's own Node, where npm left it out: npm 10 removes it together
// with the packages of other platforms. Runs on whatever Node runs npm.
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const isWindows = process.platform === 'win32';
const name = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;
const program = join(name, 'bin', isWindows ? 'node.exe' : 'node');
const folder = join('node_modules', '.bin');
const link = join(folder, isWindows ? 'node.cmd' : 'node');
if (existsSync(join('node_modules', program)) && !existsSync(link)) {
  mkdirSync(folder, { recursive: true });
  if (isWindows) writeFileSync(link, `@"%~dp0\\..\\${program}" %*\r\n`);
  else symlinkSync(join('..', program), link);
}
