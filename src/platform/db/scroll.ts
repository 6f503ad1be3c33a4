/** Rows of a statement of any length, few of them in memory. */
import { CompiledQuery } from 'kysely'
import type { Statement, Tx } from './db.ts'

/** What is done with so many rows holds the event loop for few milliseconds. */
const batch = 250

/** The rows of a SELECT as they are at its beginning, in lists of at most 250. `name` is that of no other one that is read in the transaction. */
export async function* scrollRows<Row>(
  tx: Tx,
  { name, text }: Required<Pick<Statement, 'name' | 'text'>>,
  values: readonly unknown[],
): AsyncGenerator<Row[], void, undefined> {
  const run = <Found>(statement: string, given: readonly unknown[] = []) =>
    tx.executeQuery<Found>(CompiledQuery.raw(statement, [...given]))
  await run(`declare ${name} no scroll cursor for ${text}`, values)
  for (;;) {
    const { rows } = await run<Row>(`fetch ${batch} from ${name}`)
    if (rows.length > 0) yield rows
    if (rows.length < batch) break
  }
  await run(`close ${name}`)
}
