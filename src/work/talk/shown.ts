/** Conversations and messages as answers show them. */
import { exactCredits } from '#platform/ledger'
import type { PathMessage } from './path.ts'
import type { Conversation, TalkMessage } from './schema.ts'
import type { ConversationRow, PartRow } from './tables.ts'

const moment = (at: Date | null): string | null => at?.toISOString() ?? null

export const toConversation = (row: ConversationRow): Conversation => ({
  object: 'talk.conversation',
  id: row.conversation_id,
  title: row.title ?? row.first_words,
  is_named: row.title !== null,
  model: row.model,
  leaf_id: row.leaf_id,
  messages: row.messages,
  credits: exactCredits(row.microcredits),
  microcredits: String(row.microcredits),
  pinned_at: moment(row.pinned_at),
  archived_at: moment(row.archived_at),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

/** `siblingIds` are those of `siblingsOf`. */
export const toMessage = (row: PathMessage, siblingIds: readonly string[]): TalkMessage => ({
  object: 'talk.message',
  id: row.message_id,
  conversation_id: row.conversation_id,
  parent_id: row.parent_id,
  role: row.role,
  state: row.state,
  model: row.model,
  hosted: row.hosted,
  reasoning_effort: row.reasoning_effort,
  parts: row.parts.map(toPart),
  sibling_ids: [...siblingIds],
  receipt_id: row.receipt_id,
  credits: row.microcredits === null ? null : exactCredits(row.microcredits),
  microcredits: row.microcredits === null ? null : String(row.microcredits),
  error_code: row.error_code,
  created_at: row.created_at.toISOString(),
  ended_at: moment(row.ended_at),
})

/** What goes back to a vendor, sealed, is shown to nobody. */
export function toPart({ kind, body, file_id, detail }: PartRow): TalkMessage['parts'][number] {
  const { sealed: _, ...shown } = detail ?? {}
  return { type: kind, text: body, file_id, detail: Object.keys(shown).length > 0 ? shown : null }
}
