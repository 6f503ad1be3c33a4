import { fail } from '#platform/errors'
import { isUuid } from '#platform/ids'
import { cursorTexts, type Page, writeCursor } from '#platform/lists'
import type { TalkContext } from './app.ts'
import {
  type FoundConversation,
  type ListOptions,
  type ListPlace,
  listConversations,
  searchConversations,
} from './conversation-store.ts'
import { ownerOf } from './owner.ts'
import { reasons } from './phrases.ts'
import type { ConversationList, ConversationListQuery } from './schema.ts'
import { toConversation } from './shown.ts'
import type { ConversationRow } from './tables.ts'
import { onOneLine } from './title.ts'
import { queryOf, snippetOf } from './words.ts'

type ListContext = TalkContext<unknown, ConversationListQuery>

/** The person's conversations, or those with the words of `q`. One that gets a message moves to the front, and is found on the first page again. */
export async function listTalk(context: ListContext): Promise<ConversationList> {
  const { app, query } = context
  const after = query.cursor === undefined ? undefined : readPlace(query.cursor)
  if (query.q !== undefined)
    return search(context, query.q, { limit: query.limit, after, isArchived: query.archived })
  const options = { limit: query.limit, after, isArchived: query.archived ?? false }
  const page = await listConversations(app.db, ownerOf(context), options)
  return answer(
    page,
    page.rows.map((row) => ({ ...toConversation(row), match: null })),
  )
}

async function search(context: ListContext, text: string, options: ListOptions): Promise<ConversationList> {
  const owner = ownerOf(context)
  const words = queryOf(owner, text)
  if (!words) return answer({ rows: [], hasMore: false }, [])
  const page = await searchConversations(context.app.db, owner, words.tsquery, options)
  return answer(
    page,
    page.rows.map((row) => ({ ...toConversation(row), match: matchOf(row, words.terms) })),
  )
}

const matchOf = ({ message_id: id, text, title }: FoundConversation, terms: readonly string[]) => ({
  message_id: id,
  snippet: id === null ? (title ?? '') : snippetOf(onOneLine(text ?? ''), terms),
})

const answer = (
  { rows, hasMore }: Page<ConversationRow>,
  data: ConversationList['data'],
): ConversationList => {
  const last = rows.at(-1)
  return { object: 'list', data, has_more: hasMore, next_cursor: hasMore && last ? writePlace(last) : null }
}

const writePlace = (row: ConversationRow): string =>
  writeCursor([row.pinned_at === null ? '0' : '1', String(row.updated_at.getTime()), row.conversation_id])

function readPlace(cursor: string): ListPlace {
  const [pinned, at, conversationId] = cursorTexts(cursor, 3)
  if ((pinned !== '0' && pinned !== '1') || !at || !/^\d{1,14}$/.test(at) || !isUuid(conversationId ?? ''))
    return fail('INVALID_REQUEST', { why: reasons.otherCursor }, { param: 'cursor' })
  return { isPinned: pinned === '1', updatedAt: new Date(Number(at)), conversationId: conversationId! }
}
