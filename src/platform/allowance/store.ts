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
  /** Whose allowance it is, with `account_id`, `id` and `limits`. */
  users: string
  /** The column of their id in both tables. */
  id: string
  /** The column of each kind. */
  columns: Readonly<Record<Name, string>>
}

interface Taking<Name extends string> extends UserKey {
  /** 'YYYY-MM-DD', UTC. */
  day: string
  limitsOf: (own: Record<string, number>) => Amounts<Name>
  /** What of that which is left becomes used. */
  cut: (left: Amounts<Name>) => Amounts<Name>
}

/** All processes together never take more than the limits. Undefined if there is no such user. */
export async function takePortion<Name extends string>(
  db: Db,
  table: UsageTable<Name>,
  { accountId, id, day, limitsOf, cut }: Taking<Name>,
): Promise<Amounts<Name> | undefined> {
  const { days, users, column } = namesOf(table)
  const mine = sql`account_id = ${accountId} and ${column} = ${id}`
  return db.tx(async (tx) => {
    const { rows } = await sql<{ limits: Record<string, number> }>`select limits from ${users}
      where ${mine} for key share`.execute(tx)
    if (!rows[0]) return undefined
    const begun =
      await sql`insert into ${days} (account_id, ${column}, day) values (${accountId}, ${id}, ${day})
      on conflict do nothing`.execute(tx)
    // The first of a day also ends what is kept, so that nobody has more than so many rows.
    if (begun.numAffectedRows === 1n)
      await sql`delete from ${days} where ${mine} and day < ${day}::date - ${keptDays}::int`.execute(tx)
    const used = await sql<Record<string, bigint>>`select ${list(table, (one) => one)} from ${days}
      where ${mine} and day = ${day} for update`.execute(tx)
    const limits = limitsOf(rows[0].limits)
    const portion = cut(each(table, (name, one) => Math.max(0, limits[name] - Number(used.rows[0]![one]))))
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
