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
import { ServiceFault, type UaLink } from './ua-link.ts';

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
  for (let at = 0; at < monitoredItemIds.length; at += link.limits.monitor) {
    await deleteOnce(link, subscriptionId, monitoredItemIds.slice(at, at + link.limits.monitor));
  }
}

export function isOneOf(statuses: readonly StatusCode[], status: StatusCode): boolean {
  return statuses.some((each) => each.equals(status));
}

async function create(
  link: UaLink,
  subscriptionId: number,
  wanted: readonly WantedItem[],
  settings: ItemSettings,
  withFilter: boolean,
): Promise<ItemResult[]> {
  const request = new CreateMonitoredItemsRequest({
    subscriptionId,
    timestampsToReturn: TimestampsToReturn.Both,
    itemsToCreate: wanted.map(({ item, clientHandle }) => ({
      itemToMonitor: item.node ?? {},
      monitoringMode: MonitoringMode.Reporting,
      requestedParameters: { clientHandle, ...parametersOf(item, settings, withFilter) },
    })),
  });
  try {
    const { results } = await link.transact<CreateMonitoredItemsResponse>(request);
    return wanted.map(({ item, clientHandle }, at) => {
      const { statusCode: status, monitoredItemId } = results?.[at] ?? {
        statusCode: StatusCodes.BadUnexpectedError,
        monitoredItemId: 0,
      };
      return { item, clientHandle, status, monitoredItemId };
    });
  } catch (error) {
    if (!(error instanceof ServiceFault)) throw error;
    if (error.isTooMuch && wanted.length > 1) {
      const half = Math.ceil(wanted.length / 2);
      const first = await create(link, subscriptionId, wanted.slice(0, half), settings, withFilter);
      return [...first, ...(await create(link, subscriptionId, wanted.slice(half), settings, withFilter))];
    }
    return wanted.map((each) => ({ ...each, status: error.status, monitoredItemId: 0 }));
  }
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

async function deleteOnce(link: UaLink, subscriptionId: number, monitoredItemIds: number[]): Promise<void> {
  try {
    await link.transact(new DeleteMonitoredItemsRequest({ subscriptionId, monitoredItemIds }));
  } catch (error) {
    if (!(error instanceof ServiceFault)) throw error;
    if (!error.isTooMuch || monitoredItemIds.length <= 1) return;
    const half = Math.ceil(monitoredItemIds.length / 2);
    await deleteOnce(link, subscriptionId, monitoredItemIds.slice(0, half));
    await deleteOnce(link, subscriptionId, monitoredItemIds.slice(half));
  }
}
