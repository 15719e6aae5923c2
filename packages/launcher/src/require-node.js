// Refuses a Node that cannot run the programs, in one line: it is loaded by itself, since others than the project's own Node
// cannot even load the rest.

/** The first that has all that is used. */
const oldest = 26;

export function requireNode() {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= oldest) return;
  process.stderr.write(
    `telltale: this is Node ${node}, and Node ${oldest} or newer is needed, which npm ci installs: run it through npm ` +
      '(npm start, npx telltale), or with node_modules/.bin/node.\n',
  );
  process.exit(1);
}
