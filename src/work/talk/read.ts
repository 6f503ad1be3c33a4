import type { Db } from '#platform/db'
import { fail } from '#platform/errors'
import type { TalkContext } from './app.ts'
import { findConversation } from './conversation-store.ts'
import { findMessage } from './message-store.ts'
import { ownerOf } from './owner.ts'
import { loadPath, newestBelow } from './path.ts'
import type { ConversationQuery, OpenConversation } from './schema.ts'
import { toConversation, toMessage } from './shown.ts'
import { siblingsOf } from './siblings.ts'
import type { ConversationKey, ConversationRow } from './tables.ts'

export const keyOf = (context: TalkContext<unknown, unknown, { id: string }>): ConversationKey => ({
  ...ownerOf(context),
  conversationId: context.params.id.toLowerCase(),
})

/** A page with more characters has fewer messages, so that no answer holds the event loop. */
const maxCharacters = 500_000

/** The summary of a conversation, and a page of its active path, or of the one through `leaf`. */
export async function readTalk(
  context: TalkContext<unknown, ConversationQuery, { id: string }>,
): Promise<OpenConversation> {
  const { app, query } = context
  const key = keyOf(context)
  const conversation = (await findConversation(app.db, key)) ?? fail('NOT_FOUND', {})
  const leafId = await shownLeaf(app.db, key, conversation, query.leaf)
  if (query.before !== undefined) await requireMessage(app.db, key, query.before)
  const shown = await loadPath(app.db, key, {
    leafId: query.before ?? leafId,
    isBefore: query.before !== undefined,
    limit: query.limit,
    maxCharacters,
  })
  const hasMore = (shown[0]?.depth ?? 0) > 0
  const siblings = await siblingsOf(app.db, shown)
  const data = shown.map((row) => toMessage(row, siblings.get(row.message_id) ?? [row.message_id]))
  return { ...toConversation(conversation), path: { leaf_id: leafId, data, has_more: hasMore } }
}

async function shownLeaf(
  db: Db,
  key: ConversationKey,
  { leaf_id: active }: ConversationRow,
  leaf: string | undefined,
): Promise<string> {
  if (leaf === undefined) return active
  return (await newestBelow(db, key, leaf)) ?? fail('NOT_FOUND', {}, { param: 'leaf' })
}

async function requireMessage(db: Db, key: ConversationKey, messageId: string): Promise<void> {
  const message = await findMessage(db, key, messageId)
  if (message?.conversation_id !== key.conversationId) fail('NOT_FOUND', {}, { param: 'before' })
}
