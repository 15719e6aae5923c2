// Promises of what forms know of the fields of configured objects.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { families } from './configuration.ts';
import { familyNames, numericTexts } from './families.ts';
import { FamilySchemas, familySchemas } from './field-hints.ts';
import { checker } from './validate.ts';

interface FormSchema {
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

test('every field of every family has a title and is in one group, and its schema is as it was', () => {
  const all = familySchemas();
  assert.deepEqual(checker(FamilySchemas).faults(all), []);
  for (const family of familyNames) {
    const { schema, groups } = all[family];
    const { properties, required } = schema as FormSchema;
    const fields = Object.keys(families[family].properties).sort();
    assert.deepEqual(Object.keys(properties).sort(), fields, family);
    assert.deepEqual(groups.flatMap((group) => group.fields).sort(), fields, family);
    assert.deepEqual(required, families[family].required);
    for (const [field, of] of Object.entries(properties)) {
      assert.ok(typeof of.title === 'string' && of.title !== '', field);
      assert.equal(of['x-numeric'] === true, numericTexts.has(field), field);
      const { type, description } = (families[family] as unknown as FormSchema).properties[field] ?? {};
      assert.deepEqual([of.type, of.description], [type, description], field);
      for (const other of [of['x-value-of'], of['x-address-of']]) {
        if (other !== undefined) assert.ok(fields.includes(String(other)), `${field}: ${other}`);
      }
    }
  }
});

test('a form has units, words and what a field names', () => {
  const { properties } = familySchemas().measurements.schema as FormSchema;
  assert.deepEqual(properties.connectorName?.['x-reference'], ['connectors']);
  assert.deepEqual(properties.providerAddresses?.['x-key-reference'], ['providers']);
  assert.deepEqual([properties.archPeriod?.['x-unit'], properties.archMode?.enum], ['ms', ['none', 'change']]);
  assert.deepEqual(
    [properties.rawRangeLo?.['x-value-of'], properties.rawRangeLo?.['x-group']],
    ['rawDatatype', 'range'],
  );
});
