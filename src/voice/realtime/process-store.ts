/** SQL of the processes that hold calls. */
import type { Db } from '#platform/db'
import { type Judge, lapseIntervalSql } from '#platform/processes'

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
        on conflict (process_id) do update set address = excluded.address, capacity = excluded.capacity, draining = excluded.draining
        where (processes.address, processes.capacity, processes.draining) is distinct from (excluded.address, excluded.capacity, excluded.draining)`,
    },
    [row.process_id, row.address, row.capacity, row.draining],
  )

export const deleteProcess = (db: Db, processId: string): Promise<unknown> =>
  db.query({ text: 'delete from realtime.processes where process_id = $1' }, [processId])

export const deleteDeadProcesses = (db: Db, { id, leaseMs, beatAt }: Judge): Promise<unknown> =>
  db.query(
    {
      name: 'realtime.dead_processes',
      text: `delete from realtime.processes where not ledger.lives(process_id, ${lapseIntervalSql('$1', '$2', '$3')})`,
    },
    [leaseMs, id, beatAt],
  )

/** The address of the living process of this id; undefined where it is dead, or not reachable. */
export async function addressOf(db: Db, processId: string, leaseMs: number): Promise<string | undefined> {
  const [row] = await db.query<{ address: string | null }>(
    {
      name: 'realtime.process_address',
      text: `select address from realtime.processes where process_id = $1 and ledger.lives(process_id, $2 * interval '1 millisecond')`,
    },
    [processId, leaseMs],
  )
  return row?.address ?? undefined
}

/** How many calls all processes together hold at a time. */
export async function totalCapacity(db: Db, leaseMs: number): Promise<number> {
  const [row] = await db.query<{ capacity: number }>(
    {
      name: 'realtime.whole_capacity',
      text: `select coalesce(sum(capacity), 0)::int as capacity from realtime.processes
        where not draining and ledger.lives(process_id, $1 * interval '1 millisecond')`,
    },
    [leaseMs],
  )
  return row!.capacity
}

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
