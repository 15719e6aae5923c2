// The numbered statements of the Sparkplug specification, version 3.0.0, that concern edge nodes and host applications, without
// `tck-id-`; and of those that no test here shows, why not.

export const statements: readonly string[] = `
intro-sparkplug-host-state
intro-group-id-string
intro-group-id-chars
intro-edge-node-id-string
intro-edge-node-id-chars
intro-device-id-string
intro-device-id-chars
intro-edge-node-id-uniqueness
principles-rbe-recommended
principles-birth-certificates-order
principles-persistence-clean-session-311
principles-persistence-clean-session-50
components-ph-state
topic-structure
topic-structure-namespace-a
topic-structure-namespace-device-id-associated-message-types
topic-structure-namespace-device-id-non-associated-message-types
topic-structure-namespace-duplicate-device-id-across-edge-node
topic-structure-namespace-unique-device-id
topic-structure-namespace-unique-edge-node-descriptor
topic-structure-namespace-valid-device-id
topic-structure-namespace-valid-edge-node-id
topic-structure-namespace-valid-group-id
topics-nbirth-topic
topics-nbirth-mqtt
topics-nbirth-seq-num
topics-nbirth-timestamp
topics-nbirth-metric-reqs
topics-nbirth-metrics
topics-nbirth-templates
topics-nbirth-bdseq-included
topics-nbirth-bdseq-matching
topics-nbirth-bdseq-increment
topics-nbirth-rebirth-metric
topics-ndata-topic
topics-ndata-mqtt
topics-ndata-seq-num
topics-ndata-timestamp
topics-ndata-payload
topics-ndeath-topic
topics-ndeath-payload
topics-ndeath-seq
topics-ncmd-topic
topics-ncmd-mqtt
topics-ncmd-timestamp
topics-ncmd-payload
topics-dbirth-topic
topics-dbirth-mqtt
topics-dbirth-seq
topics-dbirth-timestamp
topics-dbirth-metric-reqs
topics-dbirth-metrics
topics-ddata-topic
topics-ddata-mqtt
topics-ddata-seq-num
topics-ddata-timestamp
topics-ddata-payload
topics-ddeath-topic
topics-ddeath-mqtt
topics-ddeath-seq-num
topics-dcmd-topic
topics-dcmd-mqtt
topics-dcmd-timestamp
topics-dcmd-payload
host-topic-phid-birth-message
host-topic-phid-birth-qos
host-topic-phid-birth-retain
host-topic-phid-birth-topic
host-topic-phid-birth-sub-required
host-topic-phid-birth-required
host-topic-phid-birth-payload
host-topic-phid-birth-payload-timestamp
host-topic-phid-death-qos
host-topic-phid-death-retain
host-topic-phid-death-topic
host-topic-phid-death-required
host-topic-phid-death-payload
host-topic-phid-death-payload-timestamp-connect
host-topic-phid-death-payload-timestamp-disconnect-clean
host-topic-phid-death-payload-timestamp-disconnect-with-no-disconnect-packet
case-sensitivity-sparkplug-ids
case-sensitivity-metric-names
message-flow-phid-sparkplug-clean-session-311
message-flow-phid-sparkplug-clean-session-50
message-flow-phid-sparkplug-subscription
message-flow-phid-sparkplug-state-publish
message-flow-phid-sparkplug-state-publish-payload
message-flow-phid-sparkplug-state-publish-payload-timestamp
message-flow-hid-sparkplug-state-message-delivered
message-flow-edge-node-ncmd-subscribe
message-flow-edge-node-birth-publish-connect
message-flow-edge-node-birth-publish-will-message
message-flow-edge-node-birth-publish-will-message-topic
message-flow-edge-node-birth-publish-will-message-payload
message-flow-edge-node-birth-publish-will-message-payload-bdSeq
message-flow-edge-node-birth-publish-will-message-qos
message-flow-edge-node-birth-publish-will-message-will-retained
message-flow-edge-node-birth-publish-phid-wait
message-flow-edge-node-birth-publish-phid-wait-id
message-flow-edge-node-birth-publish-phid-wait-online
message-flow-edge-node-birth-publish-phid-wait-timestamp
message-flow-edge-node-birth-publish-nbirth-topic
message-flow-edge-node-birth-publish-nbirth-payload
message-flow-edge-node-birth-publish-nbirth-payload-bdSeq
message-flow-edge-node-birth-publish-nbirth-qos
message-flow-edge-node-birth-publish-nbirth-retained
message-flow-edge-node-birth-publish-nbirth-payload-seq
message-flow-edge-node-birth-publish-phid-offline
message-flow-device-dcmd-subscribe
message-flow-device-birth-publish-nbirth-wait
message-flow-device-birth-publish-dbirth-topic
message-flow-device-birth-publish-dbirth-match-edge-node-topic
message-flow-device-birth-publish-dbirth-payload
message-flow-device-birth-publish-dbirth-qos
message-flow-device-birth-publish-dbirth-retained
message-flow-device-birth-publish-dbirth-payload-seq
operational-behavior-edge-node-intentional-disconnect-ndeath
operational-behavior-edge-node-intentional-disconnect-packet
operational-behavior-edge-node-termination-host-action-ndeath-node-offline
operational-behavior-edge-node-termination-host-action-ndeath-node-tags-stale
operational-behavior-edge-node-termination-host-action-ndeath-devices-offline
operational-behavior-edge-node-termination-host-action-ndeath-devices-tags-stale
operational-behavior-edge-node-termination-host-offline
operational-behavior-edge-node-termination-host-offline-reconnect
operational-behavior-edge-node-termination-host-offline-timestamp
operational-behavior-device-ddeath
operational-behavior-edge-node-termination-host-action-ddeath-devices-offline
operational-behavior-edge-node-termination-host-action-ddeath-devices-tags-stale
operational-behavior-host-reordering-param
operational-behavior-host-reordering-start
operational-behavior-host-reordering-rebirth
operational-behavior-host-reordering-success
operational-behavior-primary-application-state-with-multiple-servers-state-subs
operational-behavior-primary-application-state-with-multiple-servers-state
operational-behavior-primary-application-state-with-multiple-servers-single-server
operational-behavior-primary-application-state-with-multiple-servers-walk
operational-behavior-edge-node-birth-sequence-wait
operational-behavior-host-application-host-id
operational-behavior-host-application-connect-will
operational-behavior-host-application-connect-will-topic
operational-behavior-host-application-connect-will-payload
operational-behavior-host-application-connect-will-qos
operational-behavior-host-application-connect-will-retained
operational-behavior-host-application-connect-birth
operational-behavior-host-application-connect-birth-topic
operational-behavior-host-application-connect-birth-payload
operational-behavior-host-application-connect-birth-qos
operational-behavior-host-application-connect-birth-retained
operational-behavior-host-application-multi-server-timestamp
operational-behavior-host-application-termination
operational-behavior-host-application-death-topic
operational-behavior-host-application-death-payload
operational-behavior-host-application-death-qos
operational-behavior-host-application-death-retained
operational-behavior-host-application-disconnect-intentional
operational-behavior-data-publish-nbirth
operational-behavior-data-publish-nbirth-values
operational-behavior-data-publish-nbirth-change
operational-behavior-data-publish-nbirth-order
operational-behavior-data-publish-dbirth
operational-behavior-data-publish-dbirth-values
operational-behavior-data-publish-dbirth-change
operational-behavior-data-publish-dbirth-order
operational-behavior-data-commands-rebirth-name
operational-behavior-data-commands-rebirth-name-aliases
operational-behavior-data-commands-rebirth-datatype
operational-behavior-data-commands-rebirth-value
operational-behavior-data-commands-ncmd-rebirth-verb
operational-behavior-data-commands-ncmd-rebirth-name
operational-behavior-data-commands-ncmd-rebirth-value
operational-behavior-data-commands-rebirth-action-1
operational-behavior-data-commands-rebirth-action-2
operational-behavior-data-commands-rebirth-action-3
operational-behavior-data-commands-ncmd-verb
operational-behavior-data-commands-ncmd-metric-name
operational-behavior-data-commands-ncmd-metric-value
operational-behavior-data-commands-dcmd-verb
operational-behavior-data-commands-dcmd-metric-name
operational-behavior-data-commands-dcmd-metric-value
payloads-timestamp-in-UTC
payloads-sequence-num-always-included
payloads-sequence-num-req-nbirth
payloads-sequence-num-incrementing
payloads-name-requirement
payloads-alias-uniqueness
payloads-alias-birth-requirement
payloads-alias-data-cmd-requirement
payloads-name-birth-data-requirement
payloads-name-cmd-requirement
payloads-metric-timestamp-in-UTC
payloads-metric-datatype-value-type
payloads-metric-datatype-value
payloads-metric-datatype-req
payloads-metric-datatype-not-req
payloads-propertyset-keys-array-size
payloads-propertyset-values-array-size
payloads-metric-propertyvalue-type-type
payloads-metric-propertyvalue-type-value
payloads-metric-propertyvalue-type-req
payloads-propertyset-quality-value-type
payloads-propertyset-quality-value-value
payloads-dataset-column-size
payloads-dataset-column-num-headers
payloads-dataset-types-def
payloads-dataset-types-num
payloads-dataset-types-type
payloads-dataset-types-value
payloads-dataset-parameter-type-req
payloads-template-dataset-value
payloads-template-definition-nbirth-only
payloads-template-definition-is-definition
payloads-template-definition-ref
payloads-template-definition-members
payloads-template-definition-nbirth
payloads-template-definition-parameters
payloads-template-definition-parameters-default
payloads-template-instance-is-definition
payloads-template-instance-ref
payloads-template-instance-members
payloads-template-instance-members-birth
payloads-template-instance-members-data
payloads-template-instance-parameters
payloads-template-version
payloads-template-ref-definition
payloads-template-ref-instance
payloads-template-is-definition
payloads-template-is-definition-definition
payloads-template-is-definition-instance
payloads-template-parameter-name-required
payloads-template-parameter-name-type
payloads-template-parameter-value-type
payloads-template-parameter-type-value
payloads-template-parameter-type-req
payloads-template-parameter-value
payloads-nbirth-timestamp
payloads-nbirth-edge-node-descriptor
payloads-nbirth-seq
payloads-nbirth-bdseq
payloads-nbirth-bdseq-repeat
payloads-nbirth-rebirth-req
payloads-nbirth-qos
payloads-nbirth-retain
payloads-dbirth-timestamp
payloads-dbirth-seq
payloads-dbirth-seq-inc
payloads-dbirth-order
payloads-dbirth-qos
payloads-dbirth-retain
payloads-ndata-timestamp
payloads-ndata-seq
payloads-ndata-seq-inc
payloads-ndata-order
payloads-ndata-qos
payloads-ndata-retain
payloads-ddata-timestamp
payloads-ddata-seq
payloads-ddata-seq-inc
payloads-ddata-order
payloads-ddata-qos
payloads-ddata-retain
payloads-ncmd-timestamp
payloads-ncmd-seq
payloads-ncmd-qos
payloads-ncmd-retain
payloads-dcmd-timestamp
payloads-dcmd-seq
payloads-dcmd-qos
payloads-dcmd-retain
payloads-ndeath-seq
payloads-ndeath-will-message
payloads-ndeath-will-message-qos
payloads-ndeath-will-message-retain
payloads-ndeath-bdseq
payloads-ndeath-will-message-publisher
payloads-ndeath-will-message-publisher-disconnect-mqtt311
payloads-ndeath-will-message-publisher-disconnect-mqtt50
payloads-ddeath-timestamp
payloads-ddeath-seq
payloads-ddeath-seq-inc
payloads-ddeath-seq-number
payloads-state-will-message
payloads-state-will-message-qos
payloads-state-will-message-retain
payloads-state-will-message-payload
payloads-state-subscribe
payloads-state-birth
payloads-state-birth-payload
conformance-primary-host
`
  .trim()
  .split('\n');

const unique = 'that a name is unique among all brokers and edge nodes is for whoever configures them';
const noDataSets = 'the edge node sends no data sets: a point has one value';
const noParameters = 'the edge node sends templates without parameters and without a version';

/** By statement. */
export const reasons: ReadonlyMap<string, string> = new Map([
  ['intro-edge-node-id-uniqueness', unique],
  ['topic-structure-namespace-unique-edge-node-descriptor', unique],
  ['payloads-nbirth-edge-node-descriptor', unique],
  ['operational-behavior-host-application-host-id', unique],
  [
    'topic-structure-namespace-duplicate-device-id-across-edge-node',
    'it allows something, and nothing here forbids it',
  ],
  [
    'host-topic-phid-death-payload-timestamp-disconnect-with-no-disconnect-packet',
    'a host application that ends in order sends DISCONNECT; else the broker publishes its last will',
  ],
  ['payloads-dataset-column-size', noDataSets],
  ['payloads-dataset-column-num-headers', noDataSets],
  ['payloads-dataset-types-def', noDataSets],
  ['payloads-dataset-types-num', noDataSets],
  ['payloads-dataset-types-type', noDataSets],
  ['payloads-dataset-types-value', noDataSets],
  ['payloads-dataset-parameter-type-req', noDataSets],
  ['payloads-template-dataset-value', noDataSets],
  ['payloads-template-definition-parameters', noParameters],
  ['payloads-template-definition-parameters-default', noParameters],
  ['payloads-template-instance-parameters', noParameters],
  ['payloads-template-version', noParameters],
  ['payloads-template-parameter-name-required', noParameters],
  ['payloads-template-parameter-name-type', noParameters],
  ['payloads-template-parameter-value-type', noParameters],
  ['payloads-template-parameter-type-value', noParameters],
  ['payloads-template-parameter-type-req', noParameters],
  ['payloads-template-parameter-value', noParameters],
]);
