// The forms of bodies and answers, as HTTP names them.

export const jsonType = 'application/json';
export const bytesType = 'application/octet-stream';
export const sqliteType = 'application/x-sqlite3';
export const xlsxType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Of archive records, beside JSON. The guide to the archive describes the bytes of the binary one. */
export const csvType = 'text/csv';
export const columnsType = 'application/vnd.telltale.columns';
export const ndjsonType = 'application/x-ndjson';
