import type { Db } from '#platform/db'
import { withParts } from '../path.ts'
import type { TalkMessage } from '../schema.ts'
import { toMessage } from '../shown.ts'
import { siblingsOf } from '../siblings.ts'
import type { MessageRow } from '../tables.ts'

/** Messages of one account as answers show them, in the same order. */
export async function showMessages({ db }: { db: Db }, rows: readonly MessageRow[]): Promise<TalkMessage[]> {
  const [first] = rows
  if (!first) return []
  const messages = await withParts(db, first.account_id, rows)
  const siblings = await siblingsOf(db, messages)
  return messages.map((row) => toMessage(row, siblings.get(row.message_id) ?? []))
}
