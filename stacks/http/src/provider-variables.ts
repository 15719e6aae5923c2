// The variables of the exporter, and what must hold between them.
import {
  checkListening,
  listenVariables,
  Secret,
  type Static,
  servingVariables,
  Type,
  type VariableFault,
} from '@telltale/stack-kit';

export const providerVariables = Type.Object({
  ...listenVariables(9464),
  token: Secret({
    title: 'Bearer token that a scrape must send',
    description: 'With a token, listening beyond this machine needs no `allowedClients`. It is sent unencrypted.',
    default: '',
  }),
  badQuality: Type.Enum(['absent', 'nan'], {
    title: 'How a point of bad quality is exported',
    description: '`absent`: no sample, so that its series ends; `nan`: the value NaN.',
    default: 'absent',
  }),
  qualityMetric: Type.String({
    title: 'Name of the quality metric',
    description: 'A gauge with the label `point`: 192 and above good, 64 and above uncertain, below bad. Empty: none.',
    default: 'telltale_point_quality',
    pattern: '^(?:[a-zA-Z_:][a-zA-Z0-9_:]{0,199})?$',
    form: 'a name of a metric: letters, digits, _ and :, no digit first, at most 200',
  }),
  unitLabel: Type.String({
    title: 'Name of the label with the engineering unit',
    description: 'Of samples whose point has a unit, and whose address has no label of that name. Empty: none.',
    default: 'unit',
    pattern: '^(?!__)(?!value$)(?:[a-zA-Z_][a-zA-Z0-9_]{0,99})?$',
    form: 'a name of a label: letters, digits and _, no digit and no __ first, at most 100, and not value',
  }),
  timestamps: Type.Boolean({
    title: 'Export samples with their timestamps',
    description: 'In Prometheus a value that does not change then goes stale after 5 minutes.',
    default: false,
  }),
  ...servingVariables,
  maxClients: Type.Integer({ title: 'Maximum number of connections', default: 16, minimum: 1, maximum: 1000 }),
});

export type ProviderVariables = Static<typeof providerVariables>;

export function checkProviderVariables(values: ProviderVariables): VariableFault[] {
  return checkListening(values, { isAuthenticated: values.token !== '' });
}
