import { sql } from 'kysely'
import type { Db } from '#platform/db'
import type { PathMessage } from './path.ts'

/** The most siblings that are named of a message, the newest of them. */
const maxSiblings = 100

/** The ids of the messages with the same parent, oldest first, by the ids of messages of one conversation; each names itself too. */
export async function siblingsOf(
  { kysely }: Db,
  messages: readonly PathMessage[],
): Promise<Map<string, string[]>> {
  const [first] = messages
  if (!first) return new Map()
  const { rows } = await sql<{ message_id: string; siblings: string[] }>`select m.message_id, array(
      select s.message_id from (
        select n.message_id, n.created_at from talk.messages n
        where n.account_id = m.account_id and n.branch_id = m.branch_id and n.conversation_id = m.conversation_id
          and n.parent_id is not distinct from m.parent_id
        order by n.created_at desc, n.message_id desc limit ${maxSiblings}
      ) s order by s.created_at, s.message_id
    ) as siblings
    from talk.messages m where m.account_id = ${first.account_id} and m.message_id = any(${messages.map(({ message_id: id }) => id)}::uuid[])`.execute(
    kysely,
  )
  return new Map(
    rows.map(({ message_id: id, siblings }) => [id, siblings.includes(id) ? siblings : [id, ...siblings]]),
  )
}
