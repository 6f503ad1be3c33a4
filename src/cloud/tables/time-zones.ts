/** The time zones that a database knows, by which a request may want its times. */
import type { BoundStatement, OpenDatabase } from '#cloud/databases'

/** The zones of each database that is awake. PostgreSQL reads hundreds of files to list them, so they are asked for once. */
const zones = new WeakMap<OpenDatabase, Promise<ReadonlySet<string>>>()

/** Whether the database has a time zone of exactly this name. */
export async function hasTimeZone(open: OpenDatabase, name: string): Promise<boolean> {
  const reading = zones.get(open) ?? read(open)
  zones.set(open, reading)
  reading.catch(() => zones.delete(open))
  return (await reading).has(name)
}

async function read(open: OpenDatabase): Promise<ReadonlySet<string>> {
  const { rows } = await open.pool('watcher').query<{ name: string }>('select name from pg_timezone_names')
  return new Set(rows.map(({ name }) => name))
}

/** Sets the time zone for the transaction. */
export const timeZoneStatement = (name: string): BoundStatement => ({
  text: `select pg_catalog.set_config('timezone', $1, true)`,
  values: [name],
})
