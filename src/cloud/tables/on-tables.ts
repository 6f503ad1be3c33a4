/** Runs statements that are made of a catalogue which is the database's own at the moment they run. */
import {
  type BoundStatement,
  type DatabaseCaller,
  type OpenDatabase,
  StatementFailed,
} from '#cloud/databases'
import type { BatchAnswers } from './batch.ts'
import { type Catalogue, catalogueQuery, readCatalogue } from './catalogue.ts'
import { refusals } from './refusals.ts'
import { RestRefused, refuse } from './refuse.ts'
import { inDatabase, plansAreLost, SchemaChanged, type SessionOptions } from './session.ts'

export type TablesStatements = (catalogue: Catalogue) => readonly BoundStatement[]

/** Schemas that are open to apps. */
const schemas: readonly string[] = ['public']
/** The most bytes of the catalogue as text: reading it holds the process. */
const maxCatalogueBytes = 4 * 1024 * 1024
/** The most attempts, for tables that change all the time. */
const maxTries = 5

/** The catalogue of each database that is awake; read anew when its version is another one. */
const catalogues = new WeakMap<OpenDatabase, Promise<Catalogue>>()

/**
 * Runs what `make` makes of the catalogue, and makes it anew where the catalogue was old. So what is refused in the end, and names that do not exist,
 * were so at the moment of the request. Rejects with what `make` throws and with what `inDatabase` does.
 */
export async function onTables(
  open: OpenDatabase,
  caller: DatabaseCaller,
  make: TablesStatements,
  options: Omit<SessionOptions, 'schemaVersion'>,
): Promise<BatchAnswers> {
  for (let tries = 1; tries <= maxTries; tries++) {
    const reading = catalogueOf(open)
    const catalogue = await reading
    try {
      const statements = make(catalogue)
      return await inDatabase(open, caller, statements, { ...options, schemaVersion: catalogue.version })
    } catch (error) {
      const reason = await retryReason(open, catalogue, error)
      if (reason === undefined) throw error
      if (reason === 'old catalogue') forget(open, reading)
    }
  }
  return refuse(refusals.changing)
}

async function retryReason(
  open: OpenDatabase,
  catalogue: Catalogue,
  error: unknown,
): Promise<'old catalogue' | 'lost plans' | undefined> {
  if (error instanceof SchemaChanged) return 'old catalogue'
  if (error instanceof StatementFailed) return plansAreLost(error) ? 'lost plans' : undefined
  if (!(error instanceof RestRefused)) return undefined
  const { rows } = await open
    .pool('watcher')
    .query<{ version: string }>('select version::text from kherad.schema_version')
  return rows[0]?.version === catalogue.version ? undefined : 'old catalogue'
}

function catalogueOf(open: OpenDatabase): Promise<Catalogue> {
  const known = catalogues.get(open)
  if (known) return known
  const reading = read(open)
  catalogues.set(open, reading)
  reading.catch(() => forget(open, reading))
  return reading
}

/** Forgets a catalogue, unless another request reads it anew already. */
function forget(open: OpenDatabase, reading: Promise<Catalogue>): void {
  if (catalogues.get(open) === reading) catalogues.delete(open)
}

async function read(open: OpenDatabase): Promise<Catalogue> {
  const { rows } = await open
    .pool('watcher')
    .query<{ catalogue: string | null }>(catalogueQuery, [schemas, maxCatalogueBytes])
  const text = rows[0]?.catalogue
  return text ? readCatalogue(text, schemas) : refuse(refusals.tooManyTables(maxCatalogueBytes))
}
