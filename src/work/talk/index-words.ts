/** Keeps the words by which messages and titles are found. */
import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { job, type TalkApp } from './app.ts'
import type { ConversationKey, ConversationRow, MessageKey, TalkOwner } from './tables.ts'
import { termsOf } from './words.ts'

interface UnindexedMessage {
  account_id: string
  message_id: string
  conversation_id: string
  project_id: string
  person_id: string
  created_at: Date
  texts: string[]
}

const textsSql = `array(select p.body from talk.parts p where p.account_id = m.account_id and p.message_id = m.message_id
  and p.kind = 'text' and p.body is not null order by p.ordinal)`

/** Indexes messages that have ended, once each. It is called after their transaction; what a dead process has left is indexed by the job. */
export async function indexMessages(db: Db, messages: readonly MessageKey[]): Promise<void> {
  const rows = await db.query<UnindexedMessage>(
    {
      name: 'talk.unindexed',
      text: `select m.account_id, m.message_id, m.conversation_id, c.project_id, c.person_id, m.created_at, ${textsSql} as texts
        from talk.messages m join talk.conversations c using (account_id, conversation_id)
        where (m.account_id, m.message_id) in (select * from unnest($1::uuid[], $2::uuid[])) and m.ended_at is not null and not m.is_indexed`,
    },
    [messages.map(({ accountId }) => accountId), messages.map(({ messageId }) => messageId)],
  )
  for (const row of rows) await indexMessage(db, row)
}

async function indexMessage(db: Db, row: UnindexedMessage): Promise<void> {
  const owner: TalkOwner = { accountId: row.account_id, projectId: row.project_id, personId: row.person_id }
  const terms = await termsOf(owner, row.texts)
  await db.query(
    {
      name: 'talk.index_message',
      // The conversation is locked before the message, as its deletion does; nothing is written for one that is gone.
      text: `with there as materialized (
          select 1 from talk.conversations where account_id = $1 and conversation_id = $3 for key share
        ), indexed as (
          update talk.messages set is_indexed = true from there where account_id = $1 and message_id = $2 and not is_indexed returning 1
        )
        insert into talk.words (account_id, source_id, is_title, conversation_id, created_at, terms)
        select $1, $2, false, $3, $4, array_to_tsvector($5::text[]) from indexed where cardinality($5::text[]) > 0`,
    },
    [row.account_id, row.message_id, row.conversation_id, row.created_at, terms],
  )
}

/** Indexes a title in place of the former one, under the lock of its conversation; one without a title is found by its messages. */
export async function indexTitle(
  tx: Tx,
  key: ConversationKey,
  { title, created_at: createdAt }: Pick<ConversationRow, 'title' | 'created_at'>,
): Promise<void> {
  await sql`delete from talk.words
    where account_id = ${key.accountId} and source_id = ${key.conversationId} and is_title`.execute(tx)
  const terms = title === null ? [] : await termsOf(key, [title])
  if (terms.length === 0) return
  await sql`insert into talk.words (account_id, source_id, is_title, conversation_id, created_at, terms)
    values (${key.accountId}, ${key.conversationId}, true, ${key.conversationId}, ${createdAt}, array_to_tsvector(${terms}::text[]))`.execute(
    tx,
  )
}

const everyMs = 20_000
/** Each message may have 200,000 characters. */
const portion = 20

/** Indexes what was not indexed when it ended, such as messages of a process that has died. */
export const indexJob = job<null>({
  name: 'talk.index',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs,
  async handle({ app, stopping }) {
    while (!stopping.aborted && (await indexSome(app)) === portion);
    return undefined
  },
})

async function indexSome({ db }: Pick<TalkApp, 'db'>): Promise<number> {
  const rows = await db.query<{ account_id: string; message_id: string }>(
    {
      text: `select account_id, message_id from talk.messages where not is_indexed and ended_at is not null
        order by ended_at limit $1`,
    },
    [portion],
  )
  await indexMessages(
    db,
    rows.map(({ account_id: accountId, message_id: messageId }) => ({ accountId, messageId })),
  )
  return rows.length
}
