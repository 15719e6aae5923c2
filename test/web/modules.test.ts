// Promises of the views of function modules, in a real browser: modules that run, print and fail, and what people do to them.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { LiveFunctionModule } from '@telltale/schema';
import { noChromium } from '../browser.ts';
import { put } from '../live-plant.ts';
import { until } from '../until.ts';
import { PageSuite, widthNames } from './page-suite.ts';

const talks = `#!/bin/sh
echo '<img src=x onerror=alert(1)>'
printf '\\033[31mred\\033[0m\\tend\\n'
echo 'to standard error' >&2
n=0
while :; do n=$((n+1)); echo "tick $n"; sleep 0.2; done
`;
const replaced = '#!/bin/sh\necho replaced\nexec sleep 1000\n';

describe('the view of function modules', { skip: noChromium }, () => {
  const suite = new PageSuite({ args: [] });

  before(async () => {
    const { server } = suite;
    const module = (name: string, fields: object = {}) =>
      put('function-modules', name, { termToKill: 1000, queryTimeout: 0, ...fields });
    const names = ['talks', 'fails', 'empty', '__proto__'];
    const operations = names.map((name) => module(name, name === 'empty' ? { enabled: false } : {}));
    assert.equal((await server.send('POST', '/cfgdb/txn', { operations })).status, 204);
    const upload = async (name: string, text: string) => {
      const path = `/function-modules/${name}/executable`;
      const answer = await server.sendBytes('PUT', path, 'application/octet-stream', Buffer.from(text));
      assert.equal(answer.status, 204, await answer.text());
    };
    await upload('talks', talks);
    await upload('fails', '#!/bin/sh\necho giving up\nexit 3\n');
    await upload('__proto__', replaced);
    assert.equal((await server.send('POST', '/cfgdb/render')).status, 204);
    await until('it runs', async () => (await live('talks')).state === 'RUN');
  });

  const live = async (name: string) => {
    const answer = await fetch(`${suite.server.url}/data/function-modules/${name}`);
    return (await answer.json()) as LiveFunctionModule;
  };

  for (const on of widthNames) {
    test(`lists on a ${on} what has failed first, and nothing is cut off`, async (t) => {
      const page = await suite.open(t, '/modules', { on });
      const rowOf = (name: string) =>
        page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
      await rowOf('fails').getByText('failed', { exact: true }).waitFor();
      await rowOf('talks').getByText('runs', { exact: true }).waitFor();
      await rowOf('__proto__').getByText('runs', { exact: true }).waitFor();
      const top = async (name: string) => (await rowOf(name).boundingBox())?.y ?? Number.NaN;
      assert.ok((await top('fails')) < (await top('talks')));
      const [inner, outer] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as number[];
      assert.ok(Number(inner) <= Number(outer), `${inner} px in ${outer}`);
    });
  }

  test('shows the log as it comes, harmless, filtered by stream and words, and holds it on demand', async (t) => {
    const page = await suite.open(t, '/modules/talks');
    const log = page.getByRole('log');
    await log.getByText('<img src=x onerror=alert(1)>').waitFor();
    await log.getByText('\\x1b[31mred\\x1b[0m end').waitFor();
    assert.equal(await log.locator('img').count(), 0);
    const last = async () =>
      Number(/tick (\d+)$/.exec((await log.locator('.module-text').last().textContent()) ?? '')?.[1]);
    const seen = await until('a tick', async () => (await last()) || false);
    await until('the next ticks come', async () => (await last()) > seen + 2);

    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText(/^Paused; \d+ new lines/).waitFor();
    const held = await last();
    await page.getByText(/^Paused; [3-9] new lines/).waitFor();
    assert.equal(await last(), held);
    await page.getByRole('button', { name: 'Continue' }).click();
    await until('it goes on', async () => (await last()) > held);

    await page.getByRole('combobox', { name: 'Output' }).selectOption('err');
    await log.getByText('to standard error').waitFor();
    assert.equal(await log.locator('.module-line').count(), 1);
    await page.getByRole('combobox', { name: 'Output' }).selectOption('');
    await page.getByRole('searchbox', { name: 'Text in lines' }).fill('RED');
    await until('one line is left', async () => (await log.locator('.module-line').count()) === 1);
    await page.reload();
    await log.getByText('red').waitFor();
    assert.equal(await log.locator('.module-line').count(), 1, 'a link shows the same');
  });

  test('stops and starts by keys alone, and says how it ended', async (t) => {
    const page = await suite.open(t, '/modules/__proto__');
    await page.getByRole('button', { name: 'Stop …' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Stop __proto__' });
    await dialog.getByRole('button', { name: 'Stop', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('stopped', { exact: true }).waitFor();
    await page.getByText('signal SIGTERM').waitFor();
    assert.equal((await live('__proto__')).state, 'STOP');
    await page.getByRole('button', { name: 'Start', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('runs', { exact: true }).waitFor();
    assert.equal((await live('__proto__')).state, 'RUN');
  });

  test('uploads an executable after asking, gives it back, and deletes it', async (t) => {
    const page = await suite.open(t, '/modules/empty');
    await page.getByText('There is no executable yet').waitFor();
    const file = { name: '<img onerror=1>.sh', mimeType: 'text/x-sh', buffer: Buffer.from(replaced) };
    await page.getByLabel('Executable to upload').setInputFiles(file);
    await page.getByText(/^<img onerror=1>\.sh, /).waitFor();
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByText('The executable of empty is uploaded').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    assert.equal(Buffer.concat(chunks).toString(), replaced);
    await page.getByRole('button', { name: 'Delete …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('There is no executable yet').waitFor();
  });

  test('of the past it says that it knows none, and offers no action', async (t) => {
    const page = await suite.open(t, '/modules/talks?at=1700000000');
    await page.getByText('This view knows no past').waitFor();
    await page.getByRole('log').getByText('tick').first().waitFor();
    for (const name of ['Stop …', 'Restart', 'Replace …', 'Delete …']) {
      assert.equal(await page.getByRole('button', { name }).count(), 0, name);
    }
  });
});
