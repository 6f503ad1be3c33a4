/** Reads the path of a conversation: from a message to its parent, and on to the first. */
import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { type ConversationKey, type MessageRow, messageColumns, type PartRow } from './tables.ts'

export interface PathMessage extends MessageRow {
  parts: PartRow[]
}

export interface PathOptions {
  /** The last message of the path. */
  leafId: string
  /** The most messages, counted from the last. */
  limit: number
  /** The most characters (code points) of their parts; the last message is there whatever it has. No bound if absent. */
  maxCharacters?: number
  /** Leaves out the last message itself. */
  isBefore?: boolean
}

type ConversationId = Pick<ConversationKey, 'accountId' | 'conversationId'>

const handle = (db: Db | Tx) => ('kysely' in db ? db.kysely : db)

/**
 * The last messages of the path that ends with a message, oldest first, with their parts; empty if the message is not in the conversation. Each step
 * goes to a message of a lesser depth, so it ends whatever the rows say.
 */
export async function loadPath(
  db: Db | Tx,
  { accountId, conversationId }: ConversationId,
  { leafId, limit, maxCharacters, isBefore = false }: PathOptions,
): Promise<PathMessage[]> {
  const first = isBefore ? 1 : 0
  const characters = sql`(select coalesce(sum(characters), 0) from talk.parts
    where account_id = ${accountId} and message_id = p.message_id)`
  const bounded = sql`select message_id from (
      select p.message_id, sum(${characters}) over (order by p.depth desc) - ${characters} as below from path p where p.steps > ${first}
    ) p where below < ${maxCharacters}`
  const all = sql`select message_id from path where steps > ${first}`
  const { rows } = await sql<MessageRow>`with recursive path as (
      select m.message_id, m.parent_id, m.depth, 1 as steps from talk.messages m
      where m.account_id = ${accountId} and m.message_id = ${leafId} and m.conversation_id = ${conversationId}
      union all
      select m.message_id, m.parent_id, m.depth, p.steps + 1 from path p join talk.messages m
        on m.account_id = ${accountId} and m.message_id = p.parent_id and m.conversation_id = ${conversationId} and m.depth < p.depth
      where p.steps < ${limit + first}
    )
    select ${sql.raw(messageColumns)} from (${maxCharacters === undefined ? all : bounded}) p
    join talk.messages m on m.account_id = ${accountId} and m.message_id = p.message_id order by m.depth`.execute(
    handle(db),
  )
  return withParts(db, accountId, rows)
}

/** Adds the parts of messages of one account. */
export async function withParts(
  db: Db | Tx,
  accountId: string,
  messages: readonly MessageRow[],
): Promise<PathMessage[]> {
  const parts = new Map<string, PartRow[]>(messages.map(({ message_id: id }) => [id, []]))
  if (messages.length > 0) {
    const { rows } =
      await sql<PartRow>`select account_id, message_id, ordinal, kind, body, characters, file_id, detail
      from talk.parts where account_id = ${accountId} and message_id = any(${[...parts.keys()]}::uuid[])
      order by message_id, ordinal`.execute(handle(db))
    for (const row of rows) parts.get(row.message_id)!.push(row)
  }
  return messages.map((message) => ({ ...message, parts: parts.get(message.message_id)! }))
}

/** The last message below this one, by the newest message at each fork; undefined if it is not in the conversation. */
export async function newestBelow(
  db: Db | Tx,
  { accountId, conversationId }: ConversationId,
  messageId: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ message_id: string }>`with recursive below as (
      select m.message_id, m.depth from talk.messages m
      where m.account_id = ${accountId} and m.message_id = ${messageId} and m.conversation_id = ${conversationId}
      union all
      select c.message_id, c.depth from below b cross join lateral (
        select m.message_id, m.depth from talk.messages m
        where m.account_id = ${accountId} and m.branch_id = b.message_id and m.parent_id = b.message_id
          and m.conversation_id = ${conversationId} and m.depth > b.depth
        order by m.created_at desc, m.message_id desc limit 1
      ) c
    )
    select message_id from below order by depth desc limit 1`.execute(handle(db))
  return rows[0]?.message_id
}
