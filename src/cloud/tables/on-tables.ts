/** Statements made of a catalogue that is the database's own at the moment they run. */
import { type DatabaseCaller, type OpenDatabase, type Statement, StatementFailed } from '#cloud/databases'
import type { Answers } from './batch.ts'
import { type Catalogue, catalogueQuery, readCatalogue } from './catalogue.ts'
import { refusals } from './refusals.ts'
import { RestRefused, refuse } from './refuse.ts'
import { inDatabase, plansAreLost, SchemaChanged, type SessionOptions } from './session.ts'

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
  for (let tries = 1; tries <= maxTries; tries++) {
    const reading = catalogueOf(open)
    const catalogue = await reading
    try {
      const statements = make(catalogue)
      return await inDatabase(open, caller, statements, { ...options, schemaVersion: catalogue.version })
    } catch (error) {
      const reason = await whyAgain(open, catalogue, error)
      if (reason === undefined) throw error
      if (reason === 'old catalogue') forget(open, reading)
    }
  }
  return refuse(refusals.changing)
}

async function whyAgain(
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

/** Unless another request has it read anew already. */
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
