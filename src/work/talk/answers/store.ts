/** Notifications between processes, and reading answers that other processes write. */
import type { Db, Tx } from '#platform/db'
import type { PartKind } from '../tables.ts'

/** PostgreSQL takes payloads of less than 8,000 bytes; an id has 36. */
const idsPerMessage = 200

/** Names these answers to the processes that listen on the channel. */
export async function notify(db: Db, channel: string, messageIds: readonly string[]): Promise<void> {
  if (messageIds.length === 0) return
  const payloads: string[] = []
  for (let at = 0; at < messageIds.length; at += idsPerMessage)
    payloads.push(messageIds.slice(at, at + idsPerMessage).join(' '))
  await db.query({ name: 'talk.notify', text: 'select pg_notify($1, one) from unnest($2::text[]) one' }, [
    channel,
    payloads,
  ])
}

export interface PieceRow {
  ordinal: number
  kind: PartKind
  text: string
  /** How many characters the whole body has. */
  total: number
  file_id: string | null
  detail: Record<string, unknown> | null
}

/** What follows `characters` characters of the part `ordinal`, and all parts after it. */
export const readPieces = (
  db: Db,
  { accountId, messageId }: { accountId: string; messageId: string },
  { ordinal, characters }: { ordinal: number; characters: number },
): Promise<PieceRow[]> =>
  db.query<PieceRow>(
    {
      name: 'talk.pieces',
      text: `select ordinal, kind, characters as total, file_id, detail,
          coalesce(case when ordinal = $3 then substr(body, $4::int + 1) else body end, '') as text
        from talk.parts where account_id = $1 and message_id = $2 and ordinal >= $3 order by ordinal`,
    },
    [accountId, messageId, ordinal, characters],
  )

/** Whether the message exists. */
export async function isThere(
  tx: Tx,
  { accountId, messageId }: { accountId: string; messageId: string },
): Promise<boolean> {
  const found = await tx
    .selectFrom('talk.messages')
    .select('message_id')
    .where('account_id', '=', accountId)
    .where('message_id', '=', messageId)
    .executeTakeFirst()
  return found !== undefined
}

/** Answers of this process that were begun before a time and stream still. */
export const findOwnStreaming = (
  db: Db,
  processId: string,
  before: Date,
): Promise<{ account_id: string; message_id: string }[]> =>
  db.query(
    {
      text: `select account_id, message_id from talk.messages where process_id = $1 and created_at < $2 order by created_at limit 200`,
    },
    [processId, before],
  )
