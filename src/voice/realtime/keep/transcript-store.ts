/** SQL of the words and the sound of calls that keep them. */
import type { Db, Tx } from '#platform/db'
import { cutPage, type Page } from '#platform/lists'
import { type Judge, lapseIntervalSql } from '#platform/processes'
import type { CallKey, SoundState } from '../store.ts'

declare module '#platform/db' {
  interface Tables {
    'realtime.transcripts': TranscriptRow
  }
}

export interface TranscriptRow {
  account_id: string
  call_id: string
  position: number
  role: 'user' | 'assistant'
  words: string
  at_ms: number
}

/** Words of an item; null where none are left. */
export type SpokenWords = Pick<TranscriptRow, 'position' | 'role' | 'at_ms'> & { words: string | null }

/** The settlement of a call waits for its words no longer than this. */
const writeTimeoutMs = 4_000

/**
 * Writes words, in place of those at the same positions. Returns false where the words of the call are not kept any more: then nothing was written.
 */
export async function writeSpoken(
  db: Db,
  { accountId, callId }: CallKey,
  spoken: readonly SpokenWords[],
): Promise<boolean> {
  const kept = await db.query(
    {
      name: 'realtime.write_spoken',
      // The row is locked in share mode: other writers may hold it too, but no transaction that deletes the words.
      text: `with kept as (select account_id, call_id from realtime.calls where account_id = $1 and call_id = $2 and store for share),
        spoken as (select * from json_to_recordset($3::json) as s(position int, role text, words text, at_ms int)),
        gone as (delete from realtime.transcripts t using kept k, spoken s
          where t.account_id = k.account_id and t.call_id = k.call_id and t.position = s.position and s.words is null),
        written as (insert into realtime.transcripts (account_id, call_id, position, role, words, at_ms)
          select k.account_id, k.call_id, s.position, s.role, s.words, s.at_ms from kept k, spoken s where s.words is not null
          on conflict (account_id, call_id, position) do update set words = excluded.words)
        select 1 from kept`,
      timeoutMs: writeTimeoutMs,
    },
    [accountId, callId, JSON.stringify(spoken)],
  )
  return kept.length > 0
}

/** The words in the order in which they were said. @param after a position */
export async function readTranscript(
  db: Db,
  { accountId, callId }: CallKey,
  { after, limit }: { after: number; limit: number },
): Promise<Page<TranscriptRow>> {
  const rows = await db.query<TranscriptRow>(
    {
      name: 'realtime.transcript',
      text: `select * from realtime.transcripts where account_id = $1 and call_id = $2 and position > $3 order by position limit $4`,
    },
    [accountId, callId, after, limit + 1],
  )
  return cutPage(rows, limit)
}

/** Records the file that is stored with this transaction. Returns false where the sound of the call is not kept any more. */
export async function writeSoundStored(
  tx: Tx,
  { accountId, callId }: CallKey,
  fileId: string,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('realtime.calls')
    .set({ sound: 'stored' satisfies SoundState, file_id: fileId })
    .where('account_id', '=', accountId)
    .where('call_id', '=', callId)
    .where('sound', '=', 'recording')
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export const writeSoundLost = (db: Db, { accountId, callId }: CallKey): Promise<unknown> =>
  db.query(
    {
      name: 'realtime.sound_lost',
      text: `update realtime.calls set sound = 'lost' where account_id = $1 and call_id = $2 and sound = 'recording'`,
    },
    [accountId, callId],
  )

/** Records as lost the sound of calls whose process is dead, since it had their sound. */
export const writeSoundLostOfDead = (db: Db, { id, leaseMs, beatAt }: Judge): Promise<unknown> =>
  db.query(
    {
      name: 'realtime.sound_of_dead',
      text: `update realtime.calls set sound = 'lost'
        where sound = 'recording' and ended_at is not null and not ledger.lives(process_id, ${lapseIntervalSql('$1', '$2', '$3')})`,
    },
    [leaseMs, id, beatAt],
  )

/** Ends the keeping of a call; its words are deleted with this transaction. */
export async function deleteKeptWords(tx: Tx, { accountId, callId }: CallKey): Promise<void> {
  await tx
    .updateTable('realtime.calls')
    .set({ store: false, sound: null, file_id: null })
    .where('account_id', '=', accountId)
    .where('call_id', '=', callId)
    .execute()
  await tx
    .deleteFrom('realtime.transcripts')
    .where('account_id', '=', accountId)
    .where('call_id', '=', callId)
    .execute()
}

/** Deletes the first `limit` calls that ended before this time, with their words. Returns how many were deleted. */
export async function deleteOldCalls(db: Db, before: Date, limit: number): Promise<number> {
  const rows = await db.query(
    {
      name: 'realtime.delete_old',
      text: `delete from realtime.calls c using (
          select account_id, call_id from realtime.calls where ended_at < $1 order by ended_at limit $2) old
        where c.account_id = old.account_id and c.call_id = old.call_id returning 1`,
    },
    [before, limit],
  )
  return rows.length
}
