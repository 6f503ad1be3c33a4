/** SQL of the processes that hold calls. */
import type { Db } from '#platform/db'

declare module '#platform/db' {
  interface Tables {
    'realtime.processes': ProcessRow
  }
}

export interface ProcessRow {
  process_id: string
  address: string | null
  capacity: number
  draining: boolean
}

export const writeProcess = (db: Db, row: ProcessRow): Promise<unknown> =>
  db.query(
    {
      name: 'realtime.process',
      text: `insert into realtime.processes (process_id, address, capacity, draining) values ($1, $2, $3, $4)
        on conflict (process_id) do update set address = excluded.address, capacity = excluded.capacity, draining = excluded.draining`,
    },
    [row.process_id, row.address, row.capacity, row.draining],
  )

export const deleteProcess = (db: Db, processId: string): Promise<unknown> =>
  db.query({ text: 'delete from realtime.processes where process_id = $1' }, [processId])

export const deleteDeadProcesses = (db: Db, leaseMs: number): Promise<unknown> =>
  db.query(
    {
      name: 'realtime.dead_processes',
      text: `delete from realtime.processes where not ledger.lives(process_id, $1 * interval '1 millisecond')`,
    },
    [leaseMs],
  )

/** A process that can take a further call. */
export interface FreeProcess {
  process_id: string
  address: string | null
  running: number
}

/** Living processes with room, the least busy first. */
export const freeProcesses = (db: Db, leaseMs: number): Promise<FreeProcess[]> =>
  db.query(
    {
      name: 'realtime.free_processes',
      text: `select p.process_id, p.address, r.running from realtime.processes p
        cross join lateral (select count(*)::int as running from realtime.calls c where c.process_id = p.process_id and c.ended_at is null) r
        where not p.draining and r.running < p.capacity and ledger.lives(p.process_id, $1 * interval '1 millisecond')
        order by r.running::float / p.capacity, p.process_id`,
    },
    [leaseMs],
  )
