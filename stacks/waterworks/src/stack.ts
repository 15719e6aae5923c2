// The declaration of the waterworks stack: the device of the demo plant, a simulator connector with a process model.
import { defineStack, markdownTable } from '@telltale/stack-kit';
import { connectorRole } from '@telltale/stack-simulator/connector-role';
import type { ModelDeclaration } from '@telltale/stack-simulator/model';
import { checkTag } from './check-tag.ts';
import { waterworksTags } from './tags.ts';

const model: ModelDeclaration = {
  doc(kind) {
    const rows = waterworksTags
      .filter(({ direction }) => kind === 'measurement' || direction === 'input')
      .map(({ name, datatype, unit, meaning }) => [`\`${name}\``, datatype, unit, meaning]);
    const heading = kind === 'measurement' ? 'Tags of the model:' : 'Tags of the model that can be written:';
    return `${heading}\n\n${markdownTable(['Tag', 'Raw datatype', 'Unit', 'Meaning'], rows)}`;
  },
  check: checkTag,
  examples: {
    measurement: [{ address: 'model(tank1_level)', meaning: 'the level of the first tank' }],
    command: [{ address: 'model(pump1_start)', meaning: 'starts and stops the first pump' }],
  },
};

export default defineStack({
  name: 'waterworks',
  title: 'Waterworks',
  description:
    'The device of the demo plant: a process model of a small waterworks in which commands have their effect, with the ' +
    'functions, echoes, faults and bus of the simulator beside it.',
  connector: connectorRole(() => import('./connector.ts'), model),
});
