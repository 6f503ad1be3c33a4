/** What one database may take of the machine that runs it. */
export interface DatabaseSize {
  /** The memory of all its processes together, with what they share. */
  memoryBytes: number
  /** The disk space of all its data; once it is used up, apps only read. */
  diskBytes: number
  /** How many requests of the app work in it at once, in one process of this service. */
  connections: number
}

/** What the watch measured of a database while it was in use. */
export interface Measurement {
  diskBytes: number
  /** The approximate number, as PostgreSQL counts them. */
  rows: number
  /** The disk of the database is full: apps only read. */
  isFull: boolean
}

/** The limits of databases, and the record of what they take. */
export interface DatabaseSizes<Database> {
  sizeOf(database: Database): Promise<DatabaseSize>
  /** Called before the database is woken; throws where it may not be woken. */
  requireTime(database: Database): Promise<void>
  recordMeasurement(database: Database, measurement: Measurement): void
  /** Counts each moment in which the database is awake once, whichever processes use it. */
  recordAwakeTime(database: Database, interval: { fromMs: number; toMs: number }): Promise<void>
}

const mebibyte = 1024 * 1024

/** The size where nothing else was agreed. */
export const standardSize: DatabaseSize = {
  memoryBytes: 128 * mebibyte,
  diskBytes: 1024 * mebibyte,
  connections: 8,
}

/** What one session may write of temporary files. */
export const temporaryBytesOf = ({ diskBytes }: Pick<DatabaseSize, 'diskBytes'>): number =>
  Math.min(Math.max(16 * mebibyte, diskBytes / 8), 512 * mebibyte)
