import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { TalkContext } from './app.ts'
import { type ConversationChange, changeConversation } from './conversation-store.ts'
import { indexTitle } from './index-words.ts'
import { lockConversation } from './message-store.ts'
import { newestBelow } from './path.ts'
import { reasons } from './phrases.ts'
import { keyOf } from './read.ts'
import type { Conversation, ConversationPatch } from './schema.ts'
import { toConversation } from './shown.ts'
import type { ConversationKey, ConversationRow } from './tables.ts'
import { onOneLine } from './title.ts'

/** Renames, pins, archives, shows another branch, or sets the model of the next message. The place in the list stays. */
export async function changeTalk(
  context: TalkContext<ConversationPatch, unknown, { id: string }>,
): Promise<Conversation> {
  const { app, body } = context
  const key = keyOf(context)
  const now = new Date(app.clock.nowMs())
  return app.db.tx(async (tx) => {
    const row = (await lockConversation(tx, key)) ?? fail('NOT_FOUND', {})
    const change = await changeOf(tx, key, row, body, now)
    if (Object.keys(change).length > 0) await changeConversation(tx, key, change)
    const changed = { ...row, ...change }
    if (changed.title !== row.title) await indexTitle(tx, key, changed)
    return toConversation(changed)
  })
}

async function changeOf(
  tx: Tx,
  key: ConversationKey,
  row: ConversationRow,
  { title, pinned, archived, model, leaf_id: leaf }: ConversationPatch,
  now: Date,
): Promise<ConversationChange> {
  const change: ConversationChange = {}
  if (title !== undefined) change.title = title === null ? null : plainTitle(title)
  if (pinned !== undefined) change.pinned_at = pinned ? (row.pinned_at ?? now) : null
  if (archived !== undefined) change.archived_at = archived ? (row.archived_at ?? now) : null
  if (model !== undefined) change.model = model
  if (leaf !== undefined)
    change.leaf_id = (await newestBelow(tx, key, leaf)) ?? fail('NOT_FOUND', {}, { param: 'leaf_id' })
  return change
}

function plainTitle(title: string): string {
  const plain = onOneLine(title)
  return plain === '' ? fail('INVALID_REQUEST', { why: reasons.blankTitle }, { param: 'title' }) : plain
}
