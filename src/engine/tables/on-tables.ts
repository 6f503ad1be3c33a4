/** Statements made of a catalogue that is the database's own at the moment they run. */
import type { OpenDatabase } from '#engine/databases'
import type { Answers } from './batch.ts'
import { StatementFailed } from './batch.ts'
import { type Catalogue, catalogueQuery, readCatalogue } from './catalogue.ts'
import type { Statement } from './read-sql.ts'
import { refusals, refuse, TablesRefused } from './refusals.ts'
import {
  type DatabaseCaller,
  inDatabase,
  plansAreLost,
  SchemaChanged,
  type SessionOptions,
} from './session.ts'

export type TablesStatements = (catalogue: Catalogue) => readonly Statement[]

/** Schemas that are open to apps. */
const schemas: readonly string[] = ['public']
/** Of the catalogue as text: reading it holds the process. */
const maxCatalogueBytes = 4 * 1024 * 1024
/** Tables that change all the time are nobody's tables. */
const maxTries = 5

/** Of each database that is awake; read anew when its version is another one. */
const catalogues = new WeakMap<OpenDatabase, Promise<Catalogue>>()

/**
 * What `make` makes of the catalogue is run, and made anew where the catalogue was old: what it refuses then, and what names no longer exist, was so
 * at the moment of the request. Rejects with what `make` throws and with what `inDatabase` does.
 */
export async function onTables(
  open: OpenDatabase,
  caller: DatabaseCaller,
  make: TablesStatements,
  options: Omit<SessionOptions, 'schemaVersion'>,
): Promise<Answers> {
  for (let tries = 1; ; tries++) {
    const catalogue = await catalogueOf(open)
    try {
      const statements = make(catalogue)
      return await inDatabase(open, caller, statements, { ...options, schemaVersion: catalogue.version })
    } catch (error) {
      if (tries === maxTries || !(await isWorthAnother(open, catalogue, error))) throw error
    }
  }
}

async function isWorthAnother(open: OpenDatabase, catalogue: Catalogue, error: unknown): Promise<boolean> {
  if (error instanceof SchemaChanged) {
    forget(open)
    return true
  }
  if (error instanceof StatementFailed) return plansAreLost(error)
  if (!(error instanceof TablesRefused)) return false
  const { rows } = await open
    .pool('watcher')
    .query<{ version: string }>('select version::text from kherad.schema_version')
  if (rows[0]?.version === catalogue.version) return false
  forget(open)
  return true
}

function catalogueOf(open: OpenDatabase): Promise<Catalogue> {
  const known = catalogues.get(open)
  if (known) return known
  const reading = read(open)
  catalogues.set(open, reading)
  reading.catch(() => forget(open))
  return reading
}

const forget = (open: OpenDatabase): boolean => catalogues.delete(open)

async function read(open: OpenDatabase): Promise<Catalogue> {
  const { rows } = await open
    .pool('watcher')
    .query<{ catalogue: string | null }>(catalogueQuery, [schemas, maxCatalogueBytes])
  const text = rows[0]?.catalogue
  return text ? readCatalogue(text, schemas) : refuse(refusals.tooManyTables(maxCatalogueBytes))
}
