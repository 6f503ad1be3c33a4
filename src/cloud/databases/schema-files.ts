import path from 'node:path'

const place = (...names: string[]): string => path.join(import.meta.dirname, ...names)

/** The SQL files that make a new database, in this order; a statement ends with a semicolon and an empty line. */
export const schemaFiles: readonly string[] = [
  place('local', 'bootstrap.sql'),
  place('schema', 'auth.sql'),
  place('schema', 'storage.sql'),
]
