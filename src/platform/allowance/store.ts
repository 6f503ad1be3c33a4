/** What was used in a day stands in one row of it, which is locked from reading to writing. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db'
import type { Amounts, Unused, UserKey } from './allowance.ts'

/** Days whose use stays written. */
const keptDays = 90

/** Where use is written: names of tables and columns, which are constants of a room and never anybody's text. */
export interface UsageTable<Name extends string> {
  /** With `account_id`, `id`, `day` and the columns. */
  days: string
  /** Whose allowance it is, with `account_id` and `id`. */
  users: string
  /** The column of their id in both tables. */
  id: string
  /** The columns of `users` that the limits come from. */
  limitedBy: readonly string[]
  /** The column of each kind. */
  columns: Readonly<Record<Name, string>>
}

interface Taking<Name extends string, Limited> extends UserKey {
  /** 'YYYY-MM-DD', UTC. */
  day: string
  limitsOf: (user: Limited) => Amounts<Name>
  /** What of that which is left becomes used. */
  cut: (left: Amounts<Name>) => Amounts<Name>
}

/** All processes together never take more than the limits. Undefined if there is no such user. */
export async function takePortion<Name extends string, Limited>(
  db: Db,
  table: UsageTable<Name>,
  { accountId, id, day, limitsOf, cut }: Taking<Name, Limited>,
): Promise<Amounts<Name> | undefined> {
  const { days, users, column } = namesOf(table)
  const limitedBy = sql.join(table.limitedBy.map((name) => sql.ref(name)))
  const mine = sql`account_id = ${accountId} and ${column} = ${id}`
  return db.tx(async (tx) => {
    // One statement, since whoever needs a first portion waits for it: the row of the day is made or locked, and days beyond those that are kept end.
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

/** What was taken and not used is free again. */
export async function giveBack<Name extends string>(
  db: Db,
  table: UsageTable<Name>,
  unused: readonly Unused<Name>[],
): Promise<void> {
  const { days, column } = namesOf(table)
  const rows = unused.map(({ accountId, id, day, left }) => ({
    ...{ account: accountId, id, day },
    ...Object.fromEntries(Object.entries(table.columns).map(([name, one]) => [one, left[name as Name]])),
  }))
  const back = sql`json_to_recordset(${JSON.stringify(rows)}::json)
    as b(account uuid, id uuid, day date, ${list(table, (one) => sql`${one} bigint`)})`
  await db.tx(async (tx) => {
    // In the order of their keys: two processes never wait for each other in a circle.
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
