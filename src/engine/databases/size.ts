/** What one database may take of the machine that runs it. */
export interface DatabaseSize {
  /** All of its processes together, and what they share. */
  memoryBytes: number
  /** Of all its data; then apps only read. */
  diskBytes: number
  /** Requests of the app that work in it at once, in one process of this service. */
  connections: number
}

const mebibyte = 1024 * 1024

/** Where nothing else was agreed. */
export const standardSize: DatabaseSize = {
  memoryBytes: 128 * mebibyte,
  diskBytes: 1024 * mebibyte,
  connections: 8,
}
