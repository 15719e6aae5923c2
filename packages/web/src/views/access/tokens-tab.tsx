// Tokens of programs. One is shown once, when it is made, and nowhere kept.
import { useSignal } from '@preact/signals';
import type { Grant, Token } from '@telltale/schema';
import { access } from '../../data/access.ts';
import { identity } from '../../data/session.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/fields.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { now } from '../../parts/now.ts';
import { momentText } from '../../parts/times.ts';
import { words } from '../../words/words.ts';
import { Accounts, type Ends } from './accounts.tsx';
import { GrantList, GrantsField } from './grants-field.tsx';

const dayS = 86_400;
const usualDays = 90;

export function TokensTab() {
  const { access: texts, common } = words.value;
  const isUser = identity.value?.kind === 'user';
  return (
    <Accounts<Token>
      title={texts.tabs.tokens}
      why={texts.tokensWhy}
      read={(signal) => access.tokens.list({ signal })}
      keyOf={({ name }) => name}
      add={isUser ? texts.addToken : undefined}
      isEditable={false}
      columns={[
        { title: common.name, cell: ({ name }) => name },
        { title: texts.owner, cell: ({ owner }) => owner },
        { title: texts.grants, cell: ({ grants }) => <GrantList grants={grants} /> },
        { title: texts.expires, cell: ({ expires }) => momentText(expires * 1e6) },
        {
          title: texts.lastUsed,
          cell: ({ lastUsed }) => (lastUsed === undefined ? texts.never : momentText(lastUsed * 1e6)),
        },
        { title: texts.networks, cell: ({ networks = [] }) => networks.join(', ') || texts.anywhere },
      ]}
      editor={(_, ends) => <TokenDialog {...ends} />}
      remove={{
        ask: ({ name }) => texts.deleteToken(name),
        run: ({ name }) => access.tokens.delete(name),
      }}
    />
  );
}

function TokenDialog({ onDone, onClose }: Ends) {
  const { access: texts, common } = words.value;
  const name = useSignal('');
  const grants = useSignal<readonly Grant[]>([{ role: 'viewer' }]);
  const days = useSignal(String(usualDays));
  const networks = useSignal('');
  const made = useSignal<string | undefined>(undefined);
  if (made.value !== undefined) {
    const forget = () => {
      onClose();
      onDone();
    };
    return (
      <Dialog
        title={texts.tokenMade(name.value)}
        onClose={forget}
        actions={
          <button type="button" onClick={forget}>
            {common.close}
          </button>
        }
      >
        <p>{texts.shownOnce}</p>
        <p class="row">
          <code class="access-secret">{made.value}</code>
          <CopyButton text={made.value} />
        </p>
      </Dialog>
    );
  }
  const make = async () => {
    const list = networks.value.split(/[\s,;]+/).filter((each) => each !== '');
    made.value = await access.tokens.make(name.value, {
      grants: [...grants.value],
      expires: Math.floor(now.peek() / 1e6) + Math.round(Number(days.value) * dayS),
      ...(list.length > 0 && { networks: list }),
    });
  };
  return (
    // Once it is made, it is shown here: it does not close.
    <FormDialog
      title={texts.addToken}
      action={texts.make}
      run={make}
      onClose={() => made.peek() === undefined && onClose()}
    >
      <TextField label={common.name} text={name} hint={texts.nameHint} isRequired maxLength={64} />
      <GrantsField grants={grants} />
      <TextField label={texts.days} type="number" text={days} isRequired />
      <TextField label={texts.networks} text={networks} hint={texts.networksHint} maxLength={2000} />
    </FormDialog>
  );
}
