// Promises of the overview, in a real browser against the real server: what is wrong, in as few lines as tell it, and where to begin.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { noChromium } from '../browser.ts';
import { put } from '../live-plant.ts';
import { render } from './alarm-plant.ts';
import { PageSuite } from './page-suite.ts';

const values = 40;

describe('the overview', { skip: noChromium }, () => {
  const suite = new PageSuite({ args: ['--no-demo'] });

  test('says where to begin while nothing is connected, and not that all is well', async (t) => {
    const page = await suite.open(t, '/');
    await page.getByRole('heading', { name: 'Nothing is connected yet. Begin here:' }).waitFor();
    assert.equal(await page.getByText('Everything is as it should be.').count(), 0);
    await page.getByRole('link', { name: 'Connect a device' }).click();
    await page.waitForURL('**/config/connectors**');
  });

  test('has one line for a link that is lost, with how many of its values are bad, and leads to them', async (t) => {
    await render(suite.server, [
      put('connectors', 'plc', { stackName: 'modbus', vars: { host: '127.0.0.1', port: '9' } }),
      ...Array.from({ length: values }, (_, at) =>
        put('measurements', `level${at}`, {
          datatype: 'i',
          connectorName: 'plc',
          address: `hr${at}:uint16`,
          archMode: 'none',
        }),
      ),
    ]);
    const page = await suite.open(t, '/');
    const line = page.getByRole('listitem').filter({ hasText: 'plc is' });
    await line.getByRole('link', { name: `${values} values are bad` }).click();
    await page.waitForURL('**/points?quality=bad&connector=plc');
    await page.getByRole('status').getByText(`${values} of ${values}`).waitFor();
    await page.goBack();
    await line.waitFor();
    assert.equal(
      await page
        .getByRole('listitem')
        .filter({ hasText: /level\d/ })
        .count(),
      0,
    );
  });
});
