// Builds every program and the page: `npm run build` for a release, with --release; `npm ci`, so that the first start finds its build.
import { build } from './build.js';
import { cacheFolder, releaseFolder } from './launch.js';
import { programs } from './programs.js';

const isRelease = process.argv.includes('--release');
for (const program of Object.values(programs)) {
  try {
    const folder = await build(program, isRelease ? releaseFolder : cacheFolder);
    if (isRelease) process.stdout.write(`${program.name}: ${folder}\n`);
  } catch (error) {
    process.stderr.write(`${program.name} cannot be built: ${/** @type {Error} */ (error).message}\n`);
    // Without a build a program runs from its sources, and the server says that it has no page: no reason for an installation to fail.
    if (isRelease) process.exitCode = 1;
  }
}
