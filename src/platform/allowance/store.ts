/** The use of a day is one row, which is locked from reading to writing. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db'
import type { Amounts, UnusedPortion, UserKey } from './allowance.ts'

/** Days for which recorded use is kept. */
const keptDays = 90

/** The tables and columns in which use is recorded. The names are constants of a room, never text from a user. */
export interface UsageTable<Name extends string> {
  /** The table with one row for each day: `account_id`, `id`, `day` and the columns. */
  days: string
  /** The table of the rows to which allowances belong, with `account_id` and `id`. */
  users: string
  /** The name of the column in both tables that holds the id of such a row. */
  id: string
  /** The columns of `users` from which the limits are computed. */
  limitedBy: readonly string[]
  /** The column for each kind of amount. */
  columns: Readonly<Record<Name, string>>
}

interface PortionRequest<Name extends string, Limited> extends UserKey {
  /** The day as 'YYYY-MM-DD', UTC. */
  day: string
  limitsOf: (user: Limited) => Amounts<Name>
  /** Chooses the portion from what is left of the day. */
  cut: (left: Amounts<Name>) => Amounts<Name>
}

/** Takes a portion of a day, in one transaction; all processes together never take more than the limits. Undefined if there is no such user. */
export async function takePortion<Name extends string, Limited>(
  db: Db,
  table: UsageTable<Name>,
  { accountId, id, day, limitsOf, cut }: PortionRequest<Name, Limited>,
): Promise<Amounts<Name> | undefined> {
  const { days, users, column } = namesOf(table)
  const limitedBy = sql.join(table.limitedBy.map((name) => sql.ref(name)))
  const mine = sql`account_id = ${accountId} and ${column} = ${id}`
  return db.tx(async (tx) => {
    // One statement, because a request waits for the first portion: it creates or locks the row of the day, and deletes days older than `keptDays`.
    const { rows } = await sql<{ owner: Limited } & Record<string, bigint>>`
      with owner as (select ${limitedBy} from ${users} where ${mine} for key share),
        ended as (delete from ${days} where ${mine} and day < ${day}::date - ${keptDays}::int)
      insert into ${days} as d (account_id, ${column}, day) select ${accountId}::uuid, ${id}::uuid, ${day}::date from owner
      on conflict (account_id, ${column}, day) do update set day = d.day
      returning (select row_to_json(owner) from owner) as owner, ${list(table, (one) => sql`d.${one}`)}`.execute(
      tx,
    )
    const [used] = rows
    if (!used) return undefined
    const limits = limitsOf(used.owner)
    const portion = cut(each(table, (name, one) => Math.max(0, limits[name] - Number(used[one]))))
    if (Object.values<number>(portion).some((amount) => amount > 0))
      await sql`update ${days} set ${list(table, (one, name) => sql`${one} = ${one} + ${portion[name]}`)}
        where ${mine} and day = ${day}`.execute(tx)
    return portion
  })
}

/** Frees what was taken but not used. */
export async function giveBack<Name extends string>(
  db: Db,
  table: UsageTable<Name>,
  unused: readonly UnusedPortion<Name>[],
): Promise<void> {
  const { days, column } = namesOf(table)
  const rows = unused.map(({ accountId, id, day, left }) => ({
    ...{ account: accountId, id, day },
    ...Object.fromEntries(Object.entries(table.columns).map(([name, one]) => [one, left[name as Name]])),
  }))
  const back = sql`json_to_recordset(${JSON.stringify(rows)}::json)
    as b(account uuid, id uuid, day date, ${list(table, (one) => sql`${one} bigint`)})`
  await db.tx(async (tx) => {
    // Rows are locked in the order of their keys, so that two processes never deadlock.
    await sql`select from ${days} u join ${back} on u.account_id = b.account and u.${column} = b.id and u.day = b.day
      order by u.account_id, u.${column}, u.day for update of u`.execute(tx)
    await sql`update ${days} u set ${list(table, (one) => sql`${one} = greatest(0, u.${one} - b.${one})`)}
      from (select account, id, day, ${list(table, (one) => sql`sum(${one}) as ${one}`)} from ${back} group by 1, 2, 3) b
      where u.account_id = b.account and u.${column} = b.id and u.day = b.day`.execute(tx)
  })
}

const namesOf = ({ days, users, id }: UsageTable<string>) => ({
  days: sql.table(days),
  users: sql.table(users),
  column: sql.ref(id),
})

const list = <Name extends string>(
  { columns }: UsageTable<Name>,
  of: (column: RawBuilder<unknown>, name: Name) => RawBuilder<unknown>,
): RawBuilder<unknown> =>
  sql.join(Object.entries<string>(columns).map(([name, one]) => of(sql.ref(one), name as Name)))

const each = <Name extends string>(
  { columns }: UsageTable<Name>,
  of: (name: Name, column: string) => number,
): Amounts<Name> =>
  Object.fromEntries(
    Object.entries<string>(columns).map(([name, one]) => [name, of(name as Name, one)]),
  ) as Amounts<Name>
