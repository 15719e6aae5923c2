// Variables that are right by themselves and wrong together. Pure.
import type { VariableFault } from '@telltale/stack-kit';
import { parseSelector } from './address.ts';
import { type BrokerVariables, brokersOf } from './broker-variables.ts';
import type { ConnectorVariables } from './connector-variables.ts';
import { statusTopicFault } from './devices.ts';
import { type ProviderVariables, topicNames, valueNames } from './provider-variables.ts';
import { compileTemplate } from './template.ts';
import { topicFault } from './topic.ts';

export function checkConnector(values: ConnectorVariables): VariableFault[] {
  const faults = checkBroker(values);
  if (!values.cleanStart && values.clientId === '') {
    faults.push({
      field: 'clientId',
      message: 'is required if cleanStart is false: it identifies the session',
    });
  }
  if (!values.cleanStart && values.qos === '2') {
    faults.push({
      field: 'qos',
      message: 'must not be 2 if cleanStart is false: a command could be delivered late, after a reconnect',
    });
  }
  if (!values.cleanStart && values.hostId !== '') {
    faults.push({ field: 'hostId', message: 'must be empty if cleanStart is false: Sparkplug forbids it' });
  }
  for (const field of ['time', 'quality'] as const) {
    const { selector, fault } = parseSelector(values[field]);
    if (values[field] !== '' && selector?.kind !== 'json') {
      faults.push({ field, message: fault ?? 'must be a JSON pointer or path' });
    }
  }
  const wrong = statusTopicFault(values.statusTopic);
  if (wrong !== undefined) faults.push({ field: 'statusTopic', message: wrong });
  if (values.onlinePayload === values.offlinePayload) {
    faults.push({ field: 'offlinePayload', message: 'must not be the same as onlinePayload' });
  }
  return faults;
}

export function checkProvider(values: ProviderVariables): VariableFault[] {
  const faults = checkBroker(values);
  if (values.format === 'sparkplug') {
    for (const field of ['group', 'node'] as const) {
      if (values[field] === '') faults.push({ field, message: 'is required by sparkplug' });
    }
    return faults;
  }
  for (const field of ['topic', 'statusTopic', 'commandTopic', 'answerTopic'] as const) {
    const { template, fault } = compileTemplate(values[field], topicNames);
    const wrong = fault ?? (values[field] === '' ? undefined : topicFault(template.render(() => 'x')));
    if (wrong !== undefined) faults.push({ field, message: wrong });
  }
  if (!/\{(?:address|name)\}/.test(values.topic)) {
    faults.push({ field: 'topic', message: 'must have {address} or {name} in it: each point has its own topic' });
  }
  if (values.commandTopic !== '' && !/\{(?:address|name)\}/.test(values.commandTopic)) {
    faults.push({ field: 'commandTopic', message: 'must have {address} or {name} in it' });
  }
  if (values.commandTopic === values.topic) {
    faults.push({ field: 'commandTopic', message: 'must differ from topic: what is published would be written' });
  }
  if (values.answerTopic !== '' && [values.topic, values.commandTopic].includes(values.answerTopic)) {
    faults.push({ field: 'answerTopic', message: 'must differ from topic and commandTopic' });
  }
  const { fault } = compileTemplate(values.payload, valueNames);
  if (fault !== undefined) faults.push({ field: 'payload', message: fault });
  const wrong = values.commandValue === '' ? undefined : parseSelector(values.commandValue).fault;
  if (wrong !== undefined) faults.push({ field: 'commandValue', message: wrong });
  return faults;
}

function checkBroker(values: BrokerVariables): VariableFault[] {
  const faults: VariableFault[] = [];
  if ((values.certFile === '') !== (values.keyFile === '')) {
    const field = values.certFile === '' ? 'certFile' : 'keyFile';
    faults.push({ field, message: 'is required: certFile and keyFile belong together' });
  }
  if (!values.tls && (values.caFile !== '' || values.certFile !== '')) {
    faults.push({ field: 'tls', message: 'must be true if caFile or certFile is set' });
  }
  if (values.user === '' && values.password !== '') {
    faults.push({ field: 'user', message: 'is required if there is a password' });
  }
  const brokers = brokersOf(values);
  if (brokers.some(({ port }) => port < 1 || port > 65535)) {
    faults.push({ field: 'otherBrokers', message: 'has a port that is not one of 1 to 65535' });
  }
  if (new Set(brokers.map(({ host, port }) => `${host} ${port}`)).size < brokers.length) {
    faults.push({ field: 'otherBrokers', message: 'names a broker twice, or the first one' });
  }
  return faults;
}
