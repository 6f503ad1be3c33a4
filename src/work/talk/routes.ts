import type { Route } from '#platform/http'
import { route, type TalkApp } from './app.ts'
import { changeTalk } from './change.ts'
import { deleteAllTalk, deleteTalk } from './delete.ts'
import { listTalk } from './list.ts'
import { readTalk } from './read.ts'
import {
  Conversation,
  ConversationList,
  ConversationListQuery,
  ConversationParams,
  ConversationPatch,
  ConversationQuery,
  DeletedConversation,
  DeletedConversations,
  OpenConversation,
} from './schema.ts'
import './phrases.ts'

const path = '/v1/talk/conversations'

/** The records of Talk. All that a person reads and changes here is their own, whatever the role of others. */
export const recordRoutes: Route<TalkApp>[] = [
  route({
    method: 'GET',
    path,
    operation: 'talk.list',
    scope: 'talk',
    summary: {
      en: 'Your conversations in a project, pinned ones first, newest messages first; or those in which words stand.',
      fa: 'گفت‌وگوهای شما در یک پروژه، نخست سنجاق‌شده‌ها و تازه‌ترین‌ها؛ یا آن‌ها که واژه‌هایی در آن‌ها آمده است.',
    },
    query: ConversationListQuery,
    reply: { 200: ConversationList },
    errors: [],
    handle: listTalk,
  }),
  route({
    method: 'DELETE',
    path,
    operation: 'talk.delete_all',
    scope: 'talk',
    summary: {
      en: 'Delete all your conversations in a project.',
      fa: 'حذف همهٔ گفت‌وگوهای شما در یک پروژه.',
    },
    reply: { 200: DeletedConversations },
    errors: [],
    handle: deleteAllTalk,
  }),
  route({
    method: 'GET',
    path: `${path}/{id}`,
    operation: 'talk.read',
    scope: 'talk',
    summary: {
      en: 'A conversation of yours, with a page of its active path.',
      fa: 'یکی از گفت‌وگوهای شما، با صفحه‌ای از مسیر فعال آن.',
    },
    params: ConversationParams,
    query: ConversationQuery,
    reply: { 200: OpenConversation },
    errors: ['NOT_FOUND'],
    handle: readTalk,
  }),
  route({
    method: 'PATCH',
    path: `${path}/{id}`,
    operation: 'talk.change',
    scope: 'talk',
    summary: {
      en: 'Rename, pin or archive it, show another branch, or choose the model of the next message.',
      fa: 'تغییر نام، سنجاق یا بایگانی کردن آن، نشان دادن شاخه‌ای دیگر، یا انتخاب مدل پیام بعدی.',
    },
    params: ConversationParams,
    body: ConversationPatch,
    reply: { 200: Conversation },
    errors: ['NOT_FOUND'],
    handle: changeTalk,
  }),
  route({
    method: 'DELETE',
    path: `${path}/{id}`,
    operation: 'talk.delete',
    scope: 'talk',
    summary: {
      en: 'Delete it with its messages and with files that no other conversation has.',
      fa: 'حذف آن با پیام‌هایش و با فایل‌هایی که در گفت‌وگوی دیگری نیستند.',
    },
    params: ConversationParams,
    reply: { 200: DeletedConversation },
    errors: ['NOT_FOUND'],
    handle: deleteTalk,
  }),
]
