/** Lists, finds, changes and deletes conversations. */
import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { cutPage, type Page } from '#platform/lists'
import type { ConversationKey, ConversationRow, TalkOwner } from './tables.ts'

/** Where a page begins: behind this conversation. */
export interface ListPlace {
  isPinned: boolean
  updatedAt: Date
  conversationId: string
}

export interface ListOptions {
  limit: number
  after: ListPlace | undefined
  /** Undefined: those of both kinds. */
  isArchived: boolean | undefined
}

const behind = (after: ListPlace | undefined) =>
  after
    ? sql`and ((c.pinned_at is not null), c.updated_at, c.conversation_id) < (${after.isPinned}, ${after.updatedAt}::timestamptz, ${after.conversationId}::uuid)`
    : sql``

const archived = (isArchived: boolean | undefined) =>
  isArchived === undefined ? sql`` : sql`and (c.archived_at is not null) = ${isArchived}`

const ordered = sql`order by (c.pinned_at is not null) desc, c.updated_at desc, c.conversation_id desc`

const owned = ({ accountId, personId, projectId }: TalkOwner) =>
  sql`c.account_id = ${accountId} and c.person_id = ${personId} and c.project_id = ${projectId}`

/** The conversations of a person in a project: pinned ones first, and those with the newest messages first. */
export async function listConversations(
  { kysely }: Db,
  owner: TalkOwner,
  { limit, after, isArchived }: ListOptions,
): Promise<Page<ConversationRow>> {
  const { rows } = await sql<ConversationRow>`select c.* from talk.conversations c
    where ${owned(owner)} ${archived(isArchived)} ${behind(after)} ${ordered} limit ${limit + 1}`.execute(
    kysely,
  )
  return cutPage(rows, limit)
}

export interface FoundConversation extends ConversationRow {
  /** The newest message that has the words; null where the title has them. */
  message_id: string | null
  /** The beginning of its text; null for a title. */
  text: string | null
}

/** How much of a message is looked through for a snippet. */
const snippetSource = 50_000

/** The conversations with these words in one message or in the title, in the order of the list. */
export async function searchConversations(
  { kysely }: Db,
  owner: TalkOwner,
  tsquery: string,
  { limit, after, isArchived }: ListOptions,
): Promise<Page<FoundConversation>> {
  // The rows of a common word are only counted together; which message it was is looked up for the page alone.
  const { rows } = await sql<FoundConversation>`with hits as (
      select w.conversation_id, bool_or(w.is_title) as is_title, max(w.created_at) as newest from talk.words w
      where w.account_id = ${owner.accountId} and w.terms @@ ${tsquery}::tsquery group by w.conversation_id
    ), page as (
      select c.*, h.is_title, h.newest from hits h join talk.conversations c
        on c.account_id = ${owner.accountId} and c.conversation_id = h.conversation_id
      where ${owned(owner)} ${archived(isArchived)} ${behind(after)} ${ordered} limit ${limit + 1}
    )
    select c.*, m.message_id, m.text from page c left join lateral (
      select w.source_id as message_id, (
        select left(string_agg(p.body, E'\n' order by p.ordinal), ${snippetSource}) from talk.parts p
        where p.account_id = w.account_id and p.message_id = w.source_id and p.kind = 'text'
      ) as text
      from talk.words w where not c.is_title and w.account_id = c.account_id and w.conversation_id = c.conversation_id
        and w.created_at = c.newest and w.terms @@ ${tsquery}::tsquery and not w.is_title limit 1
    ) m on true ${ordered}`.execute(kysely)
  return cutPage(rows, limit)
}

export const findConversation = (
  db: Db | Tx,
  { accountId, conversationId, projectId, personId }: ConversationKey,
): Promise<ConversationRow | undefined> =>
  ('kysely' in db ? db.kysely : db)
    .selectFrom('talk.conversations')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('conversation_id', '=', conversationId)
    .where('project_id', '=', projectId)
    .where('person_id', '=', personId)
    .executeTakeFirst()

export type ConversationChange = Partial<
  Pick<ConversationRow, 'title' | 'model' | 'leaf_id' | 'pinned_at' | 'archived_at'>
>

export async function changeConversation(
  tx: Tx,
  { accountId, conversationId }: ConversationKey,
  change: ConversationChange,
): Promise<void> {
  await tx
    .updateTable('talk.conversations')
    .set(change)
    .where('account_id', '=', accountId)
    .where('conversation_id', '=', conversationId)
    .execute()
}

/** The purpose of files that were stored to be attached to a message. */
const talkPurpose = 'talk'

/** Up to `messages` messages are deleted at once, or one conversation that has more. */
const portion = { conversations: 200, messages: 5_000 }

/** Some of a person's conversations: in a project, or with `null` everywhere. */
export async function someConversations(
  { kysely }: Db,
  {
    accountId,
    projectId,
    personId,
  }: { accountId: string | null; projectId: string | null; personId: string },
): Promise<ConversationKey[]> {
  const { rows } = await sql<ConversationRow>`select * from (
      select c.account_id, c.project_id, c.person_id, c.conversation_id, sum(c.messages) over (order by c.account_id, c.conversation_id) - c.messages as before
      from (
        select * from talk.conversations c where c.person_id = ${personId}
          ${accountId === null ? sql`` : sql`and c.account_id = ${accountId}`} ${projectId === null ? sql`` : sql`and c.project_id = ${projectId}`}
        order by c.account_id, c.conversation_id limit ${portion.conversations}
      ) c
    ) c where c.before < ${portion.messages}`.execute(kysely)
  return rows.map((row) => ({
    accountId: row.account_id,
    projectId: row.project_id,
    personId: row.person_id,
    conversationId: row.conversation_id,
  }))
}

/** Deletions of a person wait for each other, so that a file that two conversations have goes with the second one. */
export async function lockDeletions(tx: Tx, personId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('talk.deletions'), hashtext(${personId}))`.execute(tx)
}

/** Deletes a conversation with its messages, parts and words; false for one that is not the person's. */
export async function deleteConversation(tx: Tx, key: ConversationKey): Promise<boolean> {
  const { rows } = await sql`delete from talk.conversations c
    where ${owned(key)} and c.conversation_id = ${key.conversationId} returning 1`.execute(tx)
  return rows.length === 1
}

/** The files that Talk stored for the person, and that hang on this conversation alone. */
export async function ownFiles(
  tx: Tx,
  { accountId, conversationId, projectId, personId }: ConversationKey,
): Promise<string[]> {
  const { rows } = await sql<{ file_id: string }>`select distinct p.file_id from talk.messages m
    join talk.parts p on p.account_id = m.account_id and p.message_id = m.message_id and p.file_id is not null
    join files.files f on f.account_id = p.account_id and f.file_id = p.file_id and f.project_id = ${projectId} and f.purpose = ${talkPurpose}
    join auth.keys k on k.account_id = f.account_id and k.key_id = f.key_id and k.person_id = ${personId}
    where m.account_id = ${accountId} and m.conversation_id = ${conversationId} and not exists (
      select from talk.parts q join talk.messages n on n.account_id = q.account_id and n.message_id = q.message_id
      where q.account_id = p.account_id and q.file_id = p.file_id and n.conversation_id <> ${conversationId}
    )`.execute(tx)
  return rows.map(({ file_id: id }) => id)
}
