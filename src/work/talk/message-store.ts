/** Writes messages and their parts. */
import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { type Judge, lapseIntervalSql } from '#platform/processes'
import { charactersOf, storable } from './storable.ts'
import {
  type ConversationKey,
  type ConversationRow,
  type MessageKey,
  type MessageRow,
  type MessageState,
  messageColumns,
  type PartKind,
  type Role,
} from './tables.ts'
import { firstWordsOf } from './title.ts'

/** The most messages of a conversation, in all its branches. */
export const maxMessages = 20_000

export interface NewPart {
  kind: PartKind
  body?: string | undefined
  fileId?: string | undefined
  detail?: Record<string, unknown> | undefined
}

export interface NewMessage {
  messageId: string
  role: Role
  /** Ended messages have no process, and those that stream have one. */
  state: MessageState
  processId?: string | undefined
  model?: string | undefined
  hosted?: readonly string[] | undefined
  reasoningEffort?: string | undefined
  fingerprint?: Buffer | undefined
  receiptId?: string | undefined
  parts: readonly NewPart[]
}

export interface Addition {
  /** The conversation is made where its id is new. */
  key: ConversationKey
  /** The model of the next message. */
  model: string
  /** The parent of the first message; each further message follows the one before it. */
  parentId: string | null
  messages: readonly [NewMessage, ...NewMessage[]]
}

/**
 * Adds a branch of messages to a conversation and shows it: the last one becomes the leaf. `false` if an id is in use (`findMessage` shows whether
 * it is a repeat); then nothing may be committed. Throws NOT_FOUND for a conversation of somebody else and for a parent that is not in it, and
 * CONVERSATION_FULL. It locks the row of the conversation; the rows of money come before it where one transaction changes both.
 */
export async function addMessages(
  tx: Tx,
  { key, model, parentId, messages }: Addition,
  now: Date,
): Promise<boolean> {
  const leafId = messages.at(-1)!.messageId
  const text = messages[0].parts.find(({ kind }) => kind === 'text')?.body ?? ''
  await tx
    .insertInto('talk.conversations')
    .values({
      account_id: key.accountId,
      conversation_id: key.conversationId,
      project_id: key.projectId,
      person_id: key.personId,
      title: null,
      first_words: firstWordsOf(storable(text)),
      model,
      leaf_id: leafId,
      messages: 0,
      microcredits: 0n,
      pinned_at: null,
      archived_at: null,
      created_at: now,
      updated_at: now,
    })
    .onConflict((clash) => clash.doNothing())
    .execute()
  const conversation = await lockConversation(tx, key)
  if (!conversation) return fail('NOT_FOUND', {}, { param: 'conversation_id' })
  const parent = parentId === null ? undefined : await findMessage(tx, key, parentId)
  if (parentId !== null && parent?.conversation_id !== key.conversationId.toLowerCase())
    fail('NOT_FOUND', {}, { param: 'parent_id' })
  if (conversation.messages + messages.length > maxMessages) fail('CONVERSATION_FULL', { max: maxMessages })
  const depth = parent ? parent.depth + 1 : 0
  const rows = messages.map((message, index) =>
    rowOf(message, { key, parentId: messages[index - 1]?.messageId ?? parentId, depth: depth + index, now }),
  )
  const added = await tx
    .insertInto('talk.messages')
    .values(rows)
    .onConflict((clash) => clash.doNothing())
    .executeTakeFirst()
  if (Number(added.numInsertedOrUpdatedRows) < rows.length) return false
  await insertParts(tx, key.accountId, messages)
  await tx
    .updateTable('talk.conversations')
    .set({ leaf_id: leafId, model, messages: conversation.messages + rows.length, updated_at: now })
    .where('account_id', '=', key.accountId)
    .where('conversation_id', '=', key.conversationId)
    .execute()
  return true
}

interface Place {
  key: ConversationKey
  parentId: string | null
  depth: number
  now: Date
}

const rowOf = (message: NewMessage, { key, parentId, depth, now }: Place) => ({
  account_id: key.accountId,
  message_id: message.messageId,
  conversation_id: key.conversationId,
  parent_id: parentId,
  depth,
  role: message.role,
  state: message.state,
  model: message.model ?? null,
  hosted: [...(message.hosted ?? [])],
  reasoning_effort: message.reasoningEffort ?? null,
  fingerprint: message.fingerprint ?? null,
  receipt_id: message.receiptId ?? null,
  microcredits: null,
  error_code: null,
  process_id: message.processId ?? null,
  is_indexed: false,
  created_at: now,
  ended_at: message.state === 'streaming' ? null : now,
})

async function insertParts(tx: Tx, accountId: string, messages: readonly NewMessage[]): Promise<void> {
  const rows = messages.flatMap(({ messageId, parts }) =>
    parts.map(({ kind, body, fileId, detail }, ordinal) => ({
      account_id: accountId,
      message_id: messageId,
      ordinal,
      kind,
      body: body === undefined ? null : storable(body),
      characters: body === undefined ? 0 : charactersOf(body),
      file_id: fileId ?? null,
      detail: detail ?? null,
    })),
  )
  if (rows.length > 0) await tx.insertInto('talk.parts').values(rows).execute()
}

export const lockConversation = (tx: Tx, key: ConversationKey): Promise<ConversationRow | undefined> =>
  tx
    .selectFrom('talk.conversations')
    .selectAll()
    .where('account_id', '=', key.accountId)
    .where('conversation_id', '=', key.conversationId)
    .where('project_id', '=', key.projectId)
    .where('person_id', '=', key.personId)
    .forUpdate()
    .executeTakeFirst()

const columns = sql.raw<MessageRow>(messageColumns)

/** A message of the person in this project, without its parts. */
export async function findMessage(
  db: Db | Tx,
  owner: Omit<ConversationKey, 'conversationId'>,
  messageId: string,
): Promise<MessageRow | undefined> {
  const { rows } =
    await sql<MessageRow>`select ${columns} from talk.messages m join talk.conversations c using (account_id, conversation_id)
    where m.account_id = ${owner.accountId} and m.message_id = ${messageId} and c.project_id = ${owner.projectId}
      and c.person_id = ${owner.personId}`.execute('kysely' in db ? db.kysely : db)
  return rows[0]
}

/** The messages that follow a message at once, oldest first: those of a message of the person are its answers. */
export async function findChildren(
  db: Db | Tx,
  { accountId, conversationId }: Pick<ConversationKey, 'accountId' | 'conversationId'>,
  messageId: string,
): Promise<MessageRow[]> {
  const { rows } = await sql<MessageRow>`select ${columns} from talk.messages m
    where m.account_id = ${accountId} and m.branch_id = ${messageId} and m.parent_id = ${messageId}
      and m.conversation_id = ${conversationId} order by m.created_at, m.message_id`.execute(
    'kysely' in db ? db.kysely : db,
  )
  return rows
}

/** A piece of a part of a message that streams. */
export interface PartWrite extends MessageKey {
  ordinal: number
  kind: PartKind
  /** How many characters (code points, `charactersOf`) are stored before the text; what is stored behind them is replaced. */
  from: number
  text?: string | undefined
  fileId?: string | undefined
  /** Absent: that which is stored stays. */
  detail?: Record<string, unknown> | undefined
}

/**
 * Writes pieces of the parts of any number of messages in one statement, at most one a part; the same pieces again change nothing. A text must not
 * end within a surrogate pair. Returns the ids of the messages that are there and stream: the others were deleted, or ended by another process.
 */
export async function flushParts(
  db: Db,
  messages: readonly MessageKey[],
  writes: readonly PartWrite[],
): Promise<Set<string>> {
  const rows = await db.query<{ message_id: string }>(
    {
      name: 'talk.flush_parts',
      text: `with there as materialized (
          select m.account_id, m.message_id from talk.messages m
          join unnest($1::uuid[], $2::uuid[]) t(account_id, message_id) using (account_id, message_id)
          where m.state = 'streaming' order by m.account_id, m.message_id for share of m
        ), written as (
          insert into talk.parts as p (account_id, message_id, ordinal, kind, body, characters, file_id, detail)
          select account_id, message_id, w.ordinal, w.kind, w.body, w.characters, w.file_id, w.detail
          from unnest($3::uuid[], $4::uuid[], $5::int[], $6::text[], $7::text[], $8::int[], $9::uuid[], $10::jsonb[])
            w(account_id, message_id, ordinal, kind, body, characters, file_id, detail) join there using (account_id, message_id)
          on conflict (account_id, message_id, ordinal) do update set
            body = case when excluded.body is null then p.body
              else left(coalesce(p.body, ''), excluded.characters - char_length(excluded.body)) || excluded.body end,
            characters = case when excluded.body is null then p.characters else excluded.characters end,
            file_id = coalesce(excluded.file_id, p.file_id), detail = coalesce(excluded.detail, p.detail)
        )
        select message_id from there`,
    },
    [
      messages.map(({ accountId }) => accountId),
      messages.map(({ messageId }) => messageId),
      writes.map(({ accountId }) => accountId),
      writes.map(({ messageId }) => messageId),
      writes.map(({ ordinal }) => ordinal),
      writes.map(({ kind }) => kind),
      writes.map(({ text }) => (text === undefined ? null : storable(text))),
      writes.map(({ from, text = '' }) => from + charactersOf(text)),
      writes.map(({ fileId }) => fileId ?? null),
      writes.map(({ detail }) => (detail === undefined ? null : JSON.stringify(detail))),
    ],
  )
  return new Set(rows.map(({ message_id: id }) => id))
}

export interface MessageEnd {
  state: Exclude<MessageState, 'streaming'>
  errorCode?: string | undefined
  receiptId?: string | undefined
  microcredits: bigint
}

/** Ends a message that streams; false if it is gone or has ended. Its words are indexed afterwards (`indexMessages`). */
export async function endMessage(
  tx: Tx,
  { accountId, messageId }: MessageKey,
  { state, errorCode, receiptId, microcredits }: MessageEnd,
  now: Date,
): Promise<boolean> {
  // The conversation is locked before the message, as its deletion does.
  const { rows } = await sql`with locked as materialized (
      select c.conversation_id from talk.conversations c where c.account_id = ${accountId} and c.conversation_id = (
        select m.conversation_id from talk.messages m where m.account_id = ${accountId} and m.message_id = ${messageId}
      ) for no key update
    ), ended as (
      update talk.messages m set state = ${state}, error_code = ${errorCode ?? null}, process_id = null, ended_at = ${now},
        receipt_id = coalesce(${receiptId ?? null}, m.receipt_id), microcredits = ${microcredits}
      from locked where m.account_id = ${accountId} and m.message_id = ${messageId} and m.state = 'streaming'
      returning m.conversation_id, m.microcredits
    ), counted as (
      update talk.conversations c set microcredits = c.microcredits + e.microcredits from ended e
      where c.account_id = ${accountId} and c.conversation_id = e.conversation_id and e.microcredits > 0
    )
    select 1 from ended`.execute(tx)
  return rows.length === 1
}

/** Up to `limit` messages that stream and whose process has died. Several processes may find them; `endMessage` is true for one alone. */
export const findLostMessages = (
  db: Db,
  { leaseMs, id, beatAt }: Judge,
  limit: number,
): Promise<MessageRow[]> =>
  db.query<MessageRow>(
    {
      text: `select ${messageColumns} from talk.messages m
        where m.process_id is not null and not ledger.lives(m.process_id, ${lapseIntervalSql('$1', '$2', '$3')}) limit $4`,
    },
    [leaseMs, id, beatAt, limit],
  )
