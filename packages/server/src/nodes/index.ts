// What the nodes of a site have of each other: what they have recorded.
export { type OtherNode, RecordsExchange, type RecordsExchangeOptions } from './records-exchange.ts';
