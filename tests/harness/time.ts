/** The time of a test's server processes and of their database, which the test lets pass in place of waiting (docs/decisions/tests/suites.md). */
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createConnection } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { inject } from 'vitest'
import type { ControlOrder } from './control.ts'
import { soon, until } from './until.ts'

export interface ProcessControl {
  /**
   * Lets this time pass for the server's processes and for their database. Where several servers stand on one database, `passTime` takes all of
   * them.
   */
  moveMs(ms: number): Promise<void>
  /** Writes a heartbeat; resolves when it is written. */
  beat(): Promise<void>
  /** Sweeps after the dead, as it would once a lease had passed since its start; dates stay. Resolves when the sweep has ended. */
  sweep(): Promise<void>
  /** Passes an order on to every process of the server. */
  order(order: ControlOrder): Promise<void>
}

interface Controlled {
  readonly control: ProcessControl
  readonly isAlive: boolean
}

/** In the template of all databases of tests, and nowhere else: the time that leases go by is that of PostgreSQL and what a test adds to it. */
export const movableTime = `
  create schema tests;
  create table tests.clock (moved interval not null);
  insert into tests.clock values ('0');
  grant usage on schema tests to public;
  grant select on tests.clock to public;
  create or replace function platform.now() returns timestamptz language sql stable parallel safe as $$
    select pg_catalog.now() + c.moved from tests.clock c
  $$;`

/** What tests of this process have added to the time of each database, by its name. */
const moved = new Map<string | undefined, number>()
const nameOf = (databaseUrl: string): string | undefined => URL.parse(databaseUrl)?.pathname.slice(1)

/** What a server that is started now has to be told. */
export const movedMsOf = (databaseUrl: string): number => moved.get(nameOf(databaseUrl)) ?? 0

/**
 * Lets this time pass for a database and for all servers on it. In steps of which none is longer than a heartbeat, so that no living server
 * is silent for a lease: each beats and sweeps at the end of each step.
 */
export async function passTime(
  databaseUrl: string,
  servers: readonly Controlled[],
  { ms, stepMs }: { ms: number; stepMs: number },
): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs -= stepMs) {
    const passMs = Math.min(stepMs, leftMs)
    await addToDatabase(databaseUrl, passMs)
    await ofLiving(servers, (control) => control.order({ passMs }))
  }
}

/**
 * The leases of all processes but those of these servers are over: heartbeats that are not theirs are dated back by a lease, and what the dead
 * had begun is swept. Resolves when it is. No other process may live, nor one be starting.
 */
export async function endLeases(
  databaseUrl: string,
  living: readonly Controlled[],
  leaseMs: number,
): Promise<void> {
  await using database = await openDirectly(databaseUrl)
  const { rows } = await database.client.query<{ now: string }>('select pg_catalog.now()::text')
  await ofLiving(living, (control) => control.beat())
  await database.client.query(
    `update ledger.processes set beat_at = beat_at - $1 * interval '1 millisecond'
      where beat_at < $2::timestamptz + (select moved from tests.clock)`,
    [leaseMs, rows[0]!.now],
  )
  await ofLiving(living, (control) => control.sweep())
}

/** A server that another test kills meanwhile needs not obey. */
async function ofLiving(
  servers: readonly Controlled[],
  act: (control: ProcessControl) => Promise<void>,
): Promise<void> {
  await Promise.all(
    servers.map(async (server) => {
      try {
        await act(server.control)
      } catch (error) {
        await until(() => !server.isAlive, soon).catch(() => Promise.reject(error))
      }
    }),
  )
}

async function addToDatabase(databaseUrl: string, ms: number): Promise<void> {
  await using database = await openDirectly(databaseUrl)
  await database.client.query(`update tests.clock set moved = moved + $1 * interval '1 millisecond'`, [ms])
  moved.set(nameOf(databaseUrl), movedMsOf(databaseUrl) + ms)
}

/** Past any proxy that stands in between for the servers. */
async function openDirectly(databaseUrl: string): Promise<AsyncDisposable & { client: pg.Client }> {
  const url = new URL(inject('postgres').adminUrl)
  url.pathname = `/${nameOf(databaseUrl)}`
  const client = new pg.Client(url.href)
  await client.connect()
  return { client, [Symbol.asyncDispose]: () => client.end() }
}

const ending = '.control'

/** Of the server whose processes have their control sockets in this folder. */
export function controlOf(folder: string, databaseUrl: string): ProcessControl {
  let hasSwept = false
  const control: ProcessControl = {
    async order(order) {
      const names = (await readdir(folder)).filter((name) => name.endsWith(ending))
      const answered = await Promise.all(names.map((name) => send(path.join(folder, name), order)))
      if (!answered.includes(true)) throw new Error('No process of the server answers on its control socket.')
    },
    async moveMs(ms) {
      await addToDatabase(databaseUrl, ms)
      await control.order({ passMs: ms })
    },
    beat: () => control.order({ passHeartbeats: 1, onlySteady: true }),
    async sweep() {
      // A process judges others when it has lived for a lease, which is four heartbeats.
      await control.order({ passHeartbeats: hasSwept ? 2 : 5, onlySteady: true })
      hasSwept = true
    },
  }
  return control
}

/** False where the process is dead. Resolves when it has done what it was ordered. */
async function send(place: string, order: ControlOrder): Promise<boolean> {
  const connection = createConnection(place)
  try {
    await once(connection, 'connect')
    connection.write(`${JSON.stringify(order)}\n`)
    for await (const _line of createInterface(connection)) return true
    return false
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === 'ENOENT') return false
    throw error
  } finally {
    connection.destroy()
  }
}
