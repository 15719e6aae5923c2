// Tokens of programs. One is shown once, when it is made, and nowhere kept.
import { useSignal } from '@preact/signals';
import type { Grant, Token } from '@telltale/schema';
import { access } from '../../data/access.ts';
import { identity } from '../../data/session.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { now } from '../../parts/now.ts';
import { momentText } from '../../parts/times.ts';
import { words } from '../../words/words.ts';
import { Accounts } from './accounts.tsx';
import { EditDialog, TextField } from './edit-dialog.tsx';
import { GrantList, GrantsField } from './grants-field.tsx';

const read = async (signal: AbortSignal) => Object.values(await access.tokens.list({ signal }));
const dayS = 86_400;
const usualDays = 90;

export function TokensTab() {
  const { access: texts, common } = words.value;
  const isUser = identity.value?.kind === 'user';
  return (
    <Accounts<Token>
      title={texts.tabs.tokens}
      why={texts.tokensWhy}
      read={read}
      keyOf={({ name }) => name}
      empty={texts.none}
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
      editor={(_, done, close) => <TokenDialog onDone={done} onClose={close} />}
      remove={{
        word: common.delete,
        ask: ({ name }) => texts.deleteToken(name),
        run: ({ name }) => access.tokens.delete(name),
      }}
    />
  );
}

function TokenDialog({ onDone, onClose }: { readonly onDone: () => void; readonly onClose: () => void }) {
  const { access: texts, common } = words.value;
  const name = useSignal('');
  const grants = useSignal<readonly Grant[]>([{ role: 'viewer' }]);
  const days = useSignal(String(usualDays));
  const networks = useSignal('');
  const made = useSignal<string | undefined>(undefined);
  if (made.value !== undefined) {
    const forget = () => {
      made.value = undefined;
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
  const save = async () => {
    const list = networks.value.split(/[\s,;]+/).filter((each) => each !== '');
    made.value = await access.tokens.make(name.value, {
      grants: [...grants.value],
      expires: Math.floor(now.peek() / 1e6) + Math.round(Number(days.value) * dayS),
      ...(list.length > 0 && { networks: list }),
    });
  };
  return (
    <EditDialog title={texts.addToken} word={texts.make} save={save} onDone={() => undefined} onClose={onClose}>
      <TextField
        label={common.name}
        value={name.value}
        onText={(text) => (name.value = text)}
        hint={texts.nameHint}
        isRequired
        maxLength={64}
      />
      <GrantsField grants={grants.value} onGrants={(given) => (grants.value = given)} />
      <TextField
        label={texts.days}
        type="number"
        value={days.value}
        onText={(text) => (days.value = text)}
        isRequired
      />
      <TextField
        label={texts.networks}
        value={networks.value}
        onText={(text) => (networks.value = text)}
        hint={texts.networksHint}
        maxLength={2000}
      />
    </EditDialog>
  );
}
