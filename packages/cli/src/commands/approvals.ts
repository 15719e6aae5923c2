// `telltale approval list|approve|reject`: what one person has requested, and a second one decides on.
import { type Approval, toTimestamp } from '@telltale/schema';
import type { ArgumentDeclaration, CommandDeclaration } from '../declaration.ts';
import { passwordStdin } from '../prompts.ts';
import { asPerson, signed } from '../signing.ts';
import type { Cell } from '../terminal.ts';
import { timeText, valueText } from '../words.ts';

const id: ArgumentDeclaration = { name: 'ID' };
const asOption = { name: 'as', value: 'USER', summary: 'Who decides; default: who has signed in' };

const list: CommandDeclaration = {
  path: ['approval', 'list'],
  summary: 'List what waits for a second person, and what did so within the last day',
  arguments: [],
  options: [],
  run: async ({ client, terminal, signal }) => {
    const approvals = await client.approvals.list({ signal });
    if (terminal.isJson) return terminal.json(approvals);
    await terminal.table(['ID', 'ENDS', 'REQUESTED BY', 'ACTION', 'NOW', 'REASON', 'STATE'], approvals.map(rowOf));
  },
};

function rowOf(approval: Approval): Cell[] {
  const { id: own = '', ends, requester, live = '', reason, state, approver } = approval;
  const by = approver === undefined ? '' : ` by ${approver}`;
  const time = timeText(toTimestamp(Math.floor(ends) * 1e6)).slice(0, 19);
  const stateCell: Cell = state === 'pending' ? { text: state, style: 'yellow' } : `${state}${by}`;
  return [own, time, requester, actionText(approval), live === '' ? '' : valueText(live), reason, stateCell];
}

/** Such as `writeCommand valve 1`. */
function actionText({ operation, input }: Approval): string {
  const { name, value, comment: _, ...more } = input;
  const shown = typeof value === 'string' ? valueText(value) : value;
  const texts = [name, shown, ...Object.values(more)].filter((each) => each !== undefined).map(String);
  return [operation, ...texts].join(' ');
}

const approve: CommandDeclaration = {
  path: ['approval', 'approve'],
  summary: 'Approve what another person has requested: your password is asked for, and it is done now, once',
  arguments: [id],
  options: [asOption, passwordStdin],
  examples: ['telltale approval approve q3Zr8Yw1kQ0x --as lead'],
  run: (call) =>
    asPerson(call, async (person) => {
      const { args, terminal, signal } = call;
      const [own = ''] = args;
      const asked = await person.client.approvals.get(own, { signal });
      await signed(person, (signature) => person.client.approvals.approve(own, signature, { signal }));
      if (terminal.isJson) return terminal.json({ id: own, state: 'done' });
      await terminal.line(`Done: ${actionText(asked)}, requested by ${asked.requester}: ${asked.reason}`);
    }),
};

const reject: CommandDeclaration = {
  path: ['approval', 'reject'],
  summary: 'Reject what another person has requested, or withdraw an own request',
  arguments: [id],
  options: [{ name: 'reason', value: 'TEXT', summary: 'Why' }, asOption, passwordStdin],
  run: (call) =>
    asPerson(call, async ({ client }) => {
      const { args, terminal, options, signal } = call;
      const [own = ''] = args;
      await client.approvals.reject(own, { reason: options.get('reason'), signal });
      if (terminal.isJson) await terminal.json({ id: own, state: 'rejected' });
      else await terminal.line(`${own} cannot be approved any more.`);
    }),
};

export const approvalCommands: readonly CommandDeclaration[] = [list, approve, reject];
