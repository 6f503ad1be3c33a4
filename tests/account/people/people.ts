/** What the tests of people share. */
import { sql } from 'kysely'
import type { EntryRow } from '#account/audit'
import { deletion } from '#account/deletion'
import type { Tx } from '#platform/db'
import type { Client, Seen } from '../../harness/client.ts'
import type { Member } from '../../harness/session.ts'
import { until } from '../../harness/until.ts'
import type { World } from '../../harness/world.ts'

export const patch = (
  who: Client,
  path: string,
  body: unknown,
  headers?: Record<string, string>,
): Promise<Seen> => who.request('PATCH', path, JSON.stringify(body), headers)

export const remove = (who: Client, path: string, headers?: Record<string, string>): Promise<Seen> =>
  who.request('DELETE', path, undefined, headers)

/** Has a person of the tests, whose name is Sara where none is given, deleted in thirty days. */
export const leave = (who: Client, name = 'Sara', accounts: string[] = []): Promise<Seen> =>
  who.request('DELETE', '/v1/me', JSON.stringify({ confirm: name, delete_accounts: accounts }))

/** Deletes people whose thirty days are over, after this person's are. */
export async function endDays(world: World, personId: string): Promise<void> {
  const now = new Date(world.app.clock.nowMs())
  await world.app.db.query({ text: 'update people.people set deletion_due_at = $2 where person_id = $1' }, [
    personId,
    now,
  ])
  const sweep = deletion.jobs.find(({ name }) => name === 'deletion.sweep')!
  const stop = new AbortController().signal
  await sweep.handle({ app: world.app, signal: stop, stopping: stop } as never)
}

/** The rows of the audit log of the world's account whose operation begins so, oldest first. */
export const auditRows = (world: World, operation: string): Promise<EntryRow[]> =>
  world.app.db.query<EntryRow>(
    {
      text: 'select * from audit.entries where account_id = $1 and starts_with(operation, $2) order by entry_id',
    },
    [world.account, operation],
  )

/** Makes the last factor of a session older than what asks for a recent one takes; the server has heard of it when this returns. */
export async function stepDown(world: World, person: Member): Promise<void> {
  const at = new Date(world.app.clock.nowMs() - 601_000)
  await world.app.db.query({ text: 'update people.sessions set stepped_up_at = $2 where session_id = $1' }, [
    person.sessionId,
    at,
  ])
  await until(async () => (await person.get('/v1/me')).body.session.stepped_up_until === null)
}

/** The kinds of letters that are written to a person, oldest first. */
export async function mailsTo(world: World, personId: string): Promise<string[]> {
  const rows = await world.app.db.query<{ kind: string }>(
    { text: 'select kind from people.mails where person_id = $1 order by mail_id' },
    [personId],
  )
  return rows.map(({ kind }) => kind)
}

export const codeOf = ({ status, body }: Pick<Seen, 'status' | 'body'>): [number, string | undefined] => [
  status,
  body?.error?.code,
]

/**
 * The answer to a request that is sent while a transaction has done something and is not committed: it is committed once the request waits for it, after
 * `meanwhile`, or once the request is answered without waiting.
 */
export async function answeredAcross(
  world: World,
  begin: (tx: Tx) => Promise<unknown>,
  request: () => Promise<Seen>,
  meanwhile: (tx: Tx) => Promise<unknown> = async () => {},
): Promise<Seen> {
  let answer: Promise<Seen> | undefined
  await world.app.db.tx(async (tx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
    await begin(tx)
    answer ??= request()
    const isAwaited = async () => {
      const text = `select from pg_stat_activity where datname = current_database() and $1 = any(pg_blocking_pids(pid))`
      return (await world.app.db.query({ text }, [rows[0]!.pid])).length > 0
    }
    await Promise.race([answer, until(isAwaited)])
    await meanwhile(tx)
  })
  return answer!
}
