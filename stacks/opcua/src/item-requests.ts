// The requests that make and delete monitored items of one subscription, in as many pieces as the server wants.
import {
  CreateMonitoredItemsRequest,
  type CreateMonitoredItemsResponse,
  DataChangeFilter,
  DataChangeTrigger,
  DeadbandType,
  DeleteMonitoredItemsRequest,
  MonitoringMode,
  type StatusCode,
  StatusCodes,
  TimestampsToReturn,
} from 'node-opcua-client';
import { type ItemSettings, settingsOf } from './item-settings.ts';
import type { NodeItem } from './node-item.ts';
import { inPieces, isOneOf } from './service-fault.ts';
import type { UaLink } from './ua-link.ts';

export interface WantedItem {
  readonly item: NodeItem;
  readonly clientHandle: number;
}

export interface ItemResult extends WantedItem {
  readonly status: StatusCode;
  /** As the server calls it; nothing where the status is bad. */
  readonly monitoredItemId: number;
}

/** The server can monitor the node, but not filter it: then every change is reported. */
const filterStatuses: readonly StatusCode[] = [
  StatusCodes.BadFilterNotAllowed,
  StatusCodes.BadMonitoredItemFilterInvalid,
  StatusCodes.BadMonitoredItemFilterUnsupported,
  StatusCodes.BadDeadbandFilterInvalid,
];

/** The server can do no more: the item is read instead. */
export const fullStatuses: readonly StatusCode[] = [
  StatusCodes.BadTooManyMonitoredItems,
  StatusCodes.BadTooManySubscriptions,
  StatusCodes.BadServiceUnsupported,
  StatusCodes.BadNotImplemented,
  StatusCodes.BadOutOfMemory,
  StatusCodes.BadResourceUnavailable,
  StatusCodes.BadMonitoringModeInvalid,
];

/** One result an item. Throws what `UaLink.transact` throws, but for faults. */
export async function createItems(
  link: UaLink,
  subscriptionId: number,
  wanted: readonly WantedItem[],
  settings: ItemSettings,
): Promise<ItemResult[]> {
  const results = await create(link, subscriptionId, wanted, settings, true);
  const isUnfiltered = ({ status }: ItemResult) => isOneOf(filterStatuses, status);
  const unfiltered = results.filter(isUnfiltered);
  if (unfiltered.length === 0) return results;
  const others = results.filter((result) => !isUnfiltered(result));
  return [...others, ...(await create(link, subscriptionId, unfiltered, settings, false))];
}

/** What the server does not delete is passed over when it reports it. */
export async function deleteItems(link: UaLink, subscriptionId: number, monitoredItemIds: number[]): Promise<void> {
  const ask = async (some: number[]) => {
    await link.transact(new DeleteMonitoredItemsRequest({ subscriptionId, monitoredItemIds: some }));
    return [];
  };
  await inPieces(monitoredItemIds, link.limits.monitor, ask, () => []);
}

async function create(
  link: UaLink,
  subscriptionId: number,
  wanted: readonly WantedItem[],
  settings: ItemSettings,
  withFilter: boolean,
): Promise<ItemResult[]> {
  const ask = async (some: readonly WantedItem[]) => {
    const request = new CreateMonitoredItemsRequest({
      subscriptionId,
      timestampsToReturn: TimestampsToReturn.Both,
      itemsToCreate: some.map(({ item, clientHandle }) => ({
        itemToMonitor: item.node ?? {},
        monitoringMode: MonitoringMode.Reporting,
        requestedParameters: { clientHandle, ...parametersOf(item, settings, withFilter) },
      })),
    });
    const { results } = await link.transact<CreateMonitoredItemsResponse>(request);
    return some.map((each, at) => {
      const { statusCode: status = StatusCodes.BadUnexpectedError, monitoredItemId = 0 } = results?.[at] ?? {};
      return { ...each, status, monitoredItemId };
    });
  };
  const refused = (status: StatusCode, some: readonly WantedItem[]) =>
    some.map((each) => ({ ...each, status, monitoredItemId: 0 }));
  return inPieces(wanted, link.limits.monitor, ask, refused);
}

function parametersOf({ point }: NodeItem, settings: ItemSettings, withFilter: boolean) {
  const { samplingIntervalMs, queueSize, discardOldest, deadband } = settingsOf(point.properties, settings);
  const filter =
    deadband === undefined || !withFilter
      ? null
      : new DataChangeFilter({
          trigger: DataChangeTrigger.StatusValue,
          deadbandType: deadband.kind === 'percent' ? DeadbandType.Percent : DeadbandType.Absolute,
          deadbandValue: deadband.value,
        });
  return { samplingInterval: samplingIntervalMs, queueSize, discardOldest, filter };
}
