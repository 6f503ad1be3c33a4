/** What the export of a person has of Talk. Rows are read in pages. */
import type { Db } from '#platform/db'
import type { PersonPlace } from '#platform/holdings'

type ExportedRow = Record<string, unknown>

const conversationsAtOnce = 500
/** A message may have 200,000 characters. */
const messagesAtOnce = 50

/** The conversations of a person in these places, in the order of their ids. */
export async function* exportedConversations(
  db: Db,
  personId: string,
  places: readonly PersonPlace[],
): AsyncGenerator<ExportedRow[]> {
  for await (const rows of conversations(db, personId, places))
    yield rows.map(({ microcredits, ...row }) => ({ ...row, microcredits: String(microcredits) }))
}

async function* conversations(
  db: Db,
  personId: string,
  places: readonly PersonPlace[],
): AsyncGenerator<(ExportedRow & ConversationId)[]> {
  for (const { accountId, projectIds } of places)
    for (let after: string | null = null; ; ) {
      const rows: (ExportedRow & ConversationId)[] = await db.query(
        {
          text: `select account_id, conversation_id as id, project_id, coalesce(title, first_words) as title, model, leaf_id, microcredits,
              pinned_at, archived_at, created_at, updated_at
            from talk.conversations where person_id = $1 and account_id = $2 and ($3::uuid[] is null or project_id = any($3))
              and ($4::uuid is null or conversation_id > $4)
            order by conversation_id limit $5`,
        },
        [personId, accountId, projectIds, after, conversationsAtOnce],
      )
      if (rows.length > 0) yield rows
      if (rows.length < conversationsAtOnce) break
      after = rows.at(-1)!.id
    }
}

interface ConversationId {
  account_id: string
  id: string
}

/** The messages of a person with their parts, by conversation. */
export async function* exportedMessages(
  db: Db,
  personId: string,
  places: readonly PersonPlace[],
): AsyncGenerator<ExportedRow[]> {
  for await (const page of conversations(db, personId, places))
    for (const conversation of page) yield* messagesOf(db, conversation)
}

async function* messagesOf(
  db: Db,
  { account_id: accountId, id }: ConversationId,
): AsyncGenerator<ExportedRow[]> {
  for (let after: string | null = null; ; ) {
    const rows: (ExportedRow & { id: string })[] = await db.query(
      {
        text: `select m.account_id, m.conversation_id, m.message_id as id, m.parent_id, m.role, m.state, m.model, m.hosted, m.reasoning_effort,
            m.receipt_id, m.microcredits::text, m.error_code, m.created_at, m.ended_at,
            (select coalesce(json_agg(json_build_object('type', p.kind, 'text', p.body, 'file_id', p.file_id, 'detail', p.detail - 'sealed')
              order by p.ordinal), '[]') from talk.parts p where p.account_id = m.account_id and p.message_id = m.message_id) as parts
          from talk.messages m where m.account_id = $1 and m.conversation_id = $2 and ($3::uuid is null or m.message_id > $3)
          order by m.message_id limit $4`,
      },
      [accountId, id, after, messagesAtOnce],
    )
    if (rows.length > 0) yield rows
    if (rows.length < messagesAtOnce) return
    after = rows.at(-1)!.id
  }
}
