// The datatype that a point of a node is proposed with, by what the node has.
import type { Datatype } from '@telltale/schema';
import { DataType } from 'node-opcua-client';

export const datatypes: ReadonlyMap<DataType, Datatype> = new Map<DataType, Datatype>([
  [DataType.Boolean, 'b'],
  [DataType.SByte, 'i'],
  [DataType.Byte, 'i'],
  [DataType.Int16, 'i'],
  [DataType.UInt16, 'i'],
  [DataType.Int32, 'i'],
  [DataType.UInt32, 'l'],
  [DataType.Int64, 'l'],
  [DataType.UInt64, 'l'],
  [DataType.Float, 'f'],
  [DataType.Double, 'd'],
  [DataType.String, 's'],
  [DataType.DateTime, 's'],
  [DataType.Guid, 's'],
  [DataType.ByteString, 's'],
  [DataType.XmlElement, 's'],
  [DataType.NodeId, 's'],
  [DataType.ExpandedNodeId, 's'],
  [DataType.StatusCode, 's'],
  [DataType.QualifiedName, 's'],
  [DataType.LocalizedText, 's'],
]);
