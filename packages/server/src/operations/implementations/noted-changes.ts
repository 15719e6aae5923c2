// What the audit trail has of a change of the configuration: of one object, or of as many as there are.
import type { AskableConfiguration, AskedConfiguration, ChangedObjects } from '../../cfgdb/index.ts';
import type { Noted } from '../recording.ts';
import type { Asked } from './implementation.ts';

/** The configuration for the caller, who changes one object of it. */
export function changingOne(cfgdb: AskableConfiguration, { caller, note }: Asked): AskedConfiguration {
  return cfgdb.as(caller, ({ objects: [object] }) => {
    if (object !== undefined) note({ old: object.old, new: object.new, area: object.area });
  });
}

/** The configuration for the caller, who changes any part of it, for this reason. */
export function changing(cfgdb: AskableConfiguration, { caller, note }: Asked, reason?: string): AskedConfiguration {
  note({ reason });
  return cfgdb.as(caller, (changes) => note(notedOf(changes)));
}

function notedOf({ objects, revision, isDryRun, ...counts }: ChangedObjects): Noted {
  const side = (which: 'old' | 'new') =>
    Object.fromEntries(
      objects.flatMap(({ family, name, [which]: value }) =>
        value === undefined ? [] : [[`${family}/${name}`, value]],
      ),
    );
  return {
    old: { ...(revision && { revision: revision.old }), objects: side('old') },
    new: {
      ...(isDryRun && { dryRun: true }),
      ...(revision && { revision: revision.new }),
      ...counts,
      objects: side('new'),
    },
  };
}
