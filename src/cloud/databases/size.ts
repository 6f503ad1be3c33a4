/** What one database may take of the machine that runs it. */
export interface DatabaseSize {
  /** All of its processes together, and what they share. */
  memoryBytes: number
  /** Of all its data; then apps only read. */
  diskBytes: number
  /** Requests of the app that work in it at once, in one process of this service. */
  connections: number
}

/** What was seen of a database while somebody worked in it. */
export interface Measurement {
  diskBytes: number
  /** About, as PostgreSQL counts them. */
  rows: number
  /** Its disk is full: apps only read. */
  isFull: boolean
}

/** What databases may take, and where it is recorded what they take. */
export interface DatabaseSizes<Database> {
  of(database: Database): Promise<DatabaseSize>
  /** Before it is woken: throws where it may not be. */
  requireTime(database: Database): Promise<void>
  measured(database: Database, measurement: Measurement): void
  /** Each moment in which it is awake is counted once, whatever processes use it. */
  wasAwake(database: Database, interval: { fromMs: number; toMs: number }): Promise<void>
}

const mebibyte = 1024 * 1024

/** Where nothing else was agreed. */
export const standardSize: DatabaseSize = {
  memoryBytes: 128 * mebibyte,
  diskBytes: 1024 * mebibyte,
  connections: 8,
}

/** What one session may write of temporary files. */
export const temporaryBytesOf = ({ diskBytes }: Pick<DatabaseSize, 'diskBytes'>): number =>
  Math.min(Math.max(16 * mebibyte, diskBytes / 8), 512 * mebibyte)
