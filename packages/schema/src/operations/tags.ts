// The groups of operations: what each is about, and the guide to it.

export interface Tag {
  readonly description: string;
  /** The name of its guide. */
  readonly guide: string;
}

const configured = (objects: string, guide = 'configuring') => ({
  description: `${objects} as they are configured. Changes take effect with the next rendering.`,
  guide,
});

const tags: Readonly<Record<string, Tag>> = {
  Measurements: { description: 'Values of the plant as they are now, and how to force one.', guide: 'live-data' },
  Commands: { description: 'What was written to the devices, and how to write.', guide: 'live-data' },
  Alarms: { description: 'The states of alarms, and how to operate them.', guide: 'live-data' },
  Approvals: { description: 'What must be signed, and what waits for a second person.', guide: 'signatures' },
  Connectors: { description: 'The connections to devices: their state, counters and points.', guide: 'connectors' },
  Providers: { description: 'What serves the plant to other systems.', guide: 'connectors' },
  Certificates: {
    description: 'The certificates of connectors and providers, and whom they trust.',
    guide: 'certificates',
  },
  'Function modules': {
    description: 'Programs that the service runs: state, log, control.',
    guide: 'function-modules',
  },
  Pictures: { description: 'Process pictures and named trends as they run.', guide: 'pictures' },
  Archive: { description: 'The history of measurements, commands and alarms.', guide: 'archive' },
  'Configuration: alarms': configured('Alarms'),
  'Configuration: commands': configured('Commands'),
  'Configuration: measurements': configured('Measurements'),
  'Configuration: connectors': configured('Connectors', 'connectors'),
  'Configuration: providers': configured('Providers', 'connectors'),
  'Configuration: function modules': configured('Function modules and their executables', 'function-modules'),
  'Configuration: pictures': configured('Process pictures', 'pictures'),
  'Configuration: trends': configured('Named trends', 'pictures'),
  'Configuration: tables': configured('Tables of objects', 'tables'),
  'Configuration: typicals': configured('Objects that are made of types', 'typicals'),
  'Configuration: stacks': { description: 'The protocols that connectors and providers can use.', guide: 'stacks' },
  'Configuration: secrets': {
    description: 'The secrets of connectors and providers: they are set, and never read.',
    guide: 'secrets',
  },
  'Configuration: database': {
    description: 'The configuration as a whole: file, transactions, rendering, differences and revisions.',
    guide: 'configuring',
  },
  Access: {
    description: 'Signing in, and users, roles, tokens, sessions and certificates of clients.',
    guide: 'first-administrator',
  },
  Audit: { description: 'Who did what: the audit trail.', guide: 'audit' },
  Sites: { description: 'The sites of a centre; each has its own interfaces below /sites/SITE.', guide: 'sites' },
  Service: {
    description: 'Probes, metrics, settings, the catalogue of operations and the documents.',
    guide: 'running',
  },
};

export function tagOf(tag: string): Tag | undefined {
  return Object.hasOwn(tags, tag) ? tags[tag] : undefined;
}
