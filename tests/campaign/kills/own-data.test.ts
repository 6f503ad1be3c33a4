/** A process that is killed while it deletes an account or writes an export: another one goes on, and nothing is left or written twice. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createPerson } from '#account/people'
import { openSite, severalStartsMs } from '../../crash/site.ts'
import { until } from '../../harness/until.ts'

test('an account whose deletion is killed in the middle, and an export that is killed with it, are ended by the next process', {
  timeout: severalStartsMs,
}, async () => {
  await using site = await openSite()
  const first = await site.start()
  const holder = new pg.Client({ connectionString: site.databaseUrl })
  await holder.connect()
  const rows = async <Row>(text: string, values: unknown[] = []) =>
    (await holder.query(text, values)).rows as Row[]
  const { personId } = await site.db.tx((tx) =>
    createPerson(tx, { displayName: 'Sara', locale: 'en', email: 'sara@example.org' }, new Date()),
  )
  const account = randomUUID()
  await rows(`insert into auth.accounts (account_id, name, state) values ($1, 'gone', 'closing')`, [account])
  await rows(
    `insert into agents.agents (account_id, agent_id, project_id, name, instructions, model, kind, created_at, updated_at)
      select $1, gen_random_uuid(), gen_random_uuid(), 'agent', '', 'sandbox/fast', 'chat', now(), now() from generate_series(1, 1600)`,
    [account],
  )
  // Each portion but the first waits, so that the process dies between two of them.
  await rows(`create function agents.slowly() returns trigger language plpgsql as $$ begin
    if (select count(*) from agents.agents) < 1600 then perform pg_advisory_xact_lock_shared(19); end if; return null; end $$`)
  await rows(
    'create trigger slowly before delete on agents.agents for each statement execute function agents.slowly()',
  )
  await rows(`create function people.hold() returns trigger language plpgsql as $$ begin
    perform pg_advisory_xact_lock_shared(19); return new; end $$`)
  await rows(`create trigger hold before update on people.exports for each row when (new.state = 'ready')
    execute function people.hold()`)
  await rows('select pg_advisory_lock(19)')
  const exportId = randomUUID()
  await rows(
    `insert into people.exports (person_id, export_id, state, created_at) values ($1, $2, 'queued', now())`,
    [personId, exportId],
  )
  const platform = '00000000-0000-0000-0000-000000000000'
  const queue = `insert into jobs.queue (account_id, job_id, name, data, run_at) values ($1, gen_random_uuid(), $2, $3, now())`
  await rows(queue, [platform, 'exports.make', JSON.stringify({ personId, exportId })])
  await rows(
    `insert into people.account_deletions (account_id, former_state, requested_at, due_at)
      values ($1, 'active', now() - interval '31 days', now() - interval '1 day')`,
    [account],
  )
  await rows(queue, [platform, 'deletion.erase', JSON.stringify({ accountId: account })])
  await rows(`select pg_notify('jobs', 'exports.make'), pg_notify('jobs', 'deletion.erase')`)
  const left = async () =>
    Number(
      (
        await rows<{ n: string }>('select count(*) as n from agents.agents where account_id = $1', [account])
      )[0]!.n,
    )
  const held = `select 1 from pg_locks where locktype = 'advisory' and not granted`
  await until(async () => (await rows(held)).length === 2)
  expect(await left()).toBe(1_100)
  await first.kill()
  await rows(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event = 'advisory'`)
  await until(async () => (await rows(held)).length === 0)
  await rows('select pg_advisory_unlock(19)')
  await site.start()
  await site.endLeases()
  await until(async () => (await left()) === 0)
  await until(async () => {
    const [row] = await rows<{ name: string }>('select name from auth.accounts where account_id = $1', [
      account,
    ])
    return row!.name === '—'
  })
  await until(async () => {
    const [row] = await rows<{ state: string }>('select state from people.exports where export_id = $1', [
      exportId,
    ])
    return row!.state === 'ready'
  })
  const log = await rows<{ operation: string }>(
    'select operation from audit.entries where account_id = $1 order by entry_id',
    [account],
  )
  expect(log.map(({ operation }) => operation)).toEqual(['account.erase', 'account.erased'])
  await holder.end()
})
